-- The log. Positions are given out under the lock of the one head row, so they have no holes and commit in order: who has
-- seen position p never later meets one below p.
create table log.head (
  only_row boolean primary key default true check (only_row),
  position bigint not null
);
insert into log.head (position) values (0);

create table log.events (
  position bigint primary key,
  stream text collate "C" not null,
  revision bigint not null,
  id uuid not null unique,
  type text not null,
  version smallint not null,
  data json not null,
  sealed text,
  metadata json not null,
  unique (stream, revision)
);

create function log.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the log is append-only';
end $$;
create trigger events_are_forever before update or delete on log.events
  for each row execute function log.refuse_change();
create trigger events_stay before truncate on log.events
  for each statement execute function log.refuse_change();

-- Appends a batch of independent appends in one round trip. An append is one or several writes, a write is one stream's
-- events; arrays are parallel, indexes count from 1. No stream may occur twice in a batch. An append with a stream that is
-- not at its expected revision is left out whole and answered with that stream; the others get their last position.
create function log.append(
  write_append int[], write_stream text[], write_expected bigint[],
  event_write int[], event_id uuid[], event_type text[], event_version smallint[],
  event_data json[], event_sealed text[], event_metadata json[]
) returns table (append int, last_position bigint, lost_stream text) language plpgsql as $$
declare
  base bigint;
  newest bigint;
begin
  -- Everything below sees what the lock's previous holder committed: each statement has its own snapshot.
  select head.position into base from log.head for update;

  return query
  with writes as (
    select w.*, coalesce(
      (select e.revision from log.events e where e.stream = w.stream order by e.revision desc limit 1), -1) as actual
    from unnest(write_append, write_stream, write_expected) with ordinality as w (append, stream, expected, write)
  ), lost as (
    select distinct on (w.append) w.append, w.stream from writes w where w.actual <> w.expected order by w.append, w.write
  ), fresh as (
    select w.append, w.stream, e.*,
      base + row_number() over (order by e.ordinal) as position,
      w.expected + row_number() over (partition by w.write order by e.ordinal) as revision
    from unnest(event_write, event_id, event_type, event_version, event_data, event_sealed, event_metadata)
      with ordinality as e (write, id, type, version, data, sealed, metadata, ordinal)
    join writes w using (write)
    where not exists (select from lost where lost.append = w.append)
  ), inserted as (
    insert into log.events (position, stream, revision, id, type, version, data, sealed, metadata)
    select f.position, f.stream, f.revision, f.id, f.type, f.version, f.data, f.sealed, f.metadata from fresh f
  )
  select f.append, max(f.position), null::text from fresh f group by f.append
  union all
  select l.append, null::bigint, l.stream from lost l;

  select e.position into newest from log.events e order by e.position desc limit 1;
  if newest > base then
    update log.head set position = newest;
    perform pg_notify('gatebook_log', newest::text);
  end if;
end $$;
