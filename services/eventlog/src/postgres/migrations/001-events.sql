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
  id uuid not null,
  type text not null,
  version smallint not null,
  data json not null,
  encrypted text,
  metadata json not null,
  unique (stream, revision)
);

create function log.reject_change() returns trigger language plpgsql as $$
begin
  raise exception 'the log is append-only';
end $$;
create trigger events_are_forever before update or delete on log.events
  for each row execute function log.reject_change();
create trigger events_stay before truncate on log.events
  for each statement execute function log.reject_change();

-- Appends a batch of independent appends in one round trip. An append is one or several writes, a write is one stream's
-- events; arrays are parallel, appends count from 1, events come in the order of their appends. No stream may occur twice.
-- Events get the positions after `base` in that order, except those of lost appends: an append with a stream that is not at
-- its expected revision is left out whole and answered with that stream. If it lost against itself, because it was sent a
-- second time after a broken connection, its events are found in their places and it is answered with their last position.
create function log.append(
  write_append int[], write_stream text[], write_expected bigint[],
  event_append int[], event_stream text[], event_revision bigint[], event_id uuid[], event_type text[],
  event_version smallint[], event_data json[], event_sealed text[], event_metadata json[],
  out base bigint, out lost int[], out lost_streams text[], out found_positions bigint[]
) language plpgsql as $$
declare
  added bigint;
begin
  -- Whatever the connection is set to: an append that is answered has reached the disk.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  -- Everything below sees what the lock's previous holder committed: each statement has its own snapshot.
  select head.position into base from log.head for update;

  select coalesce(array_agg(late.append), '{}'), coalesce(array_agg(late.stream), '{}') into lost, lost_streams
  from (
    select distinct on (w.append) w.append, w.stream
    from unnest(write_append, write_stream, write_expected) with ordinality as w (append, stream, expected, write)
    where w.expected <> coalesce(
      (select e.revision from log.events e where e.stream = w.stream order by e.revision desc limit 1), -1)
    order by w.append, w.write
  ) late;

  if lost <> '{}' then
    select array_agg(
      (select max(e.position)
       from unnest(event_append, event_stream, event_revision, event_id) as own (append, stream, revision, id)
       join log.events e on e.stream = own.stream and e.revision = own.revision and e.id = own.id
       where own.append = l.append) order by l.ordinal)
    into found_positions
    from unnest(lost) with ordinality as l (append, ordinal);
  else
    found_positions := '{}';
  end if;

  insert into log.events (position, stream, revision, id, type, version, data, encrypted, metadata)
  select base + row_number() over (order by e.ordinal),
    e.stream, e.revision, e.id, e.type, e.version, e.data, e.encrypted, e.metadata
  from unnest(event_append, event_stream, event_revision, event_id, event_type, event_version, event_data, event_sealed,
    event_metadata) with ordinality
    as e (append, stream, revision, id, type, version, data, encrypted, metadata, ordinal)
  where e.append <> all (lost);

  get diagnostics added = row_count;
  if added > 0 then
    update log.head set position = base + added;
    perform pg_notify('gatebook_log', (base + added)::text);
  end if;
end $$;
