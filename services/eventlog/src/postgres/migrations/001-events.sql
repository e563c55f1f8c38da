-- The log. Positions are assigned under the lock of the single head row, so they have no gaps and commit in order:
-- after reading position p, a reader never sees a lower one.
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

-- Commits a batch of independent appends in one round trip. An append consists of one or more writes; a write contains
-- the events of one stream. The arrays are parallel, appends count from 1, and events are in the order of their
-- appends. A stream must not occur twice. Events get the positions after `base` in this order. An append that has a
-- stream not at its expected revision is a conflict: none of its events are stored, and `lost_streams` returns that
-- stream. If the append conflicts with itself, because it was sent again after a broken connection, its events are
-- already stored and `found_positions` returns the position of the last of them.
create function log.append(
  write_append int[], write_stream text[], write_expected bigint[],
  event_append int[], event_stream text[], event_revision bigint[], event_id uuid[], event_type text[],
  event_version smallint[], event_data json[], event_encrypted text[], event_metadata json[],
  out base bigint, out lost int[], out lost_streams text[], out found_positions bigint[]
) language plpgsql as $$
declare
  added bigint;
begin
  -- An acknowledged append must be on disk, whatever the settings of the connection.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  -- Each statement has its own snapshot, so everything below sees what the lock's previous holder committed.
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
  from unnest(event_append, event_stream, event_revision, event_id, event_type, event_version, event_data, event_encrypted,
    event_metadata) with ordinality
    as e (append, stream, revision, id, type, version, data, encrypted, metadata, ordinal)
  where e.append <> all (lost);

  get diagnostics added = row_count;
  if added > 0 then
    update log.head set position = base + added;
    perform pg_notify('gatebook_log', (base + added)::text);
  end if;
end $$;
