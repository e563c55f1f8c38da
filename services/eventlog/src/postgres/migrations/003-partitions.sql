-- The log in partitions, with the time of each commit, the project of each event, stream heads, and epochs.
-- docs/decisions/0048 has the reasons.

drop function log.append(
  int[], text[], bigint[], int[], text[], bigint[], uuid[], text[], smallint[], json[], text[], json[]);
alter table log.events rename to former_events;
alter table log.former_events rename constraint events_pkey to former_events_pkey;
alter table log.former_events rename constraint events_stream_revision_key to former_events_stream_revision_key;

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
  -- Clock of the database at the append; never lower than that of the event before.
  committed_at timestamptz not null,
  project_id text collate "C" not null generated always as (metadata ->> 'projectId') stored
) partition by range (position);
create index events_by_stream on log.events (stream, revision);
create index events_by_project on log.events (project_id, position);

create trigger events_are_forever before update or delete on log.events
  for each row execute function log.reject_change();
create trigger events_stay before truncate on log.events
  for each statement execute function log.reject_change();

-- Positions per partition. Tests replace this function.
create function log.partition_size() returns bigint language sql immutable as 'select 50000000::bigint';

-- Partition n has the positions from n * size + 1 to (n + 1) * size. It is attached instead of created in place,
-- because that blocks neither readers nor appends.
create function log.add_partition(number bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  partition_name text := 'events_' || number;
begin
  if to_regclass('log.' || partition_name) is not null then return; end if;
  execute format('create table log.%I (like log.events including defaults including generated including storage)',
    partition_name);
  execute format('create trigger events_stay before truncate on log.%I for each statement execute function log.reject_change()',
    partition_name);
  execute format('alter table log.events attach partition log.%I for values from (%s) to (%s)',
    partition_name, number * log.partition_size() + 1, (number + 1) * log.partition_size() + 1);
end $$;

select log.add_partition(number)
from generate_series(0, (select position / log.partition_size() from log.head) + 1) as number;

-- Events from before commit times get the highest time that an event up to them has.
insert into log.events (position, stream, revision, id, type, version, data, encrypted, metadata, committed_at)
select position, stream, revision, id, type, version, data, encrypted, metadata,
  coalesce(max((data ->> 'at')::timestamptz) over (order by position), to_timestamp(0))
from log.former_events order by position;
drop table log.former_events;
drop table log.head;

-- The revision of every stream, for the check at each append. Heads of archived streams are not here.
create table log.streams (
  stream text collate "C" primary key,
  revision bigint not null,
  -- Reading a stream skips the partitions before it.
  first_position bigint not null,
  last_position bigint not null
) with (fillfactor = 80);
insert into log.streams
select stream, max(revision), min(position), max(position) from log.events group by stream;

-- A new epoch begins when the log has lost events that were committed: after a restore, or after a failover to a
-- replica that lagged.
create table log.epochs (
  number bigint generated always as identity primary key,
  epoch uuid not null unique default gen_random_uuid(),
  began_at timestamptz not null default now(),
  -- Head of the log when the epoch began.
  after_position bigint not null
);
insert into log.epochs (after_position) values (0);

-- Stream heads of events up to here have been considered for the archive.
create table log.archive (
  only_row boolean primary key default true check (only_row),
  position bigint not null
);
insert into log.archive (position) values (0);

-- Streams of these kinds are written for a short time only, and most streams are of these kinds.
create function log.is_short_lived(stream text) returns boolean language sql immutable as
  $$ select stream ~ '^(code|email|mailing|request)-' $$;

-- Serializes appends until the end of the transaction. The head is not a row that is updated, because old versions of
-- such a row pile up while a backup or another long transaction runs.
create function log.lock() returns void language sql as
  $$ select pg_advisory_xact_lock('log.events'::regclass::int, 0) $$;

-- Commits a batch of independent appends in one round trip. An append consists of one or more writes; a write contains
-- the events of one stream, or none if it only requires a revision. The arrays are parallel, appends count from 1, and
-- events are in the order of their appends. No two appends may write to the same stream. Events get the positions after
-- `base` in this order. An append that has a stream not at its expected revision is a conflict: none of its events are
-- stored, and `lost_streams` returns that stream. If the append conflicts with itself, because it was sent again after
-- a broken connection, its events are already stored and `found_positions` returns the position of the last of them.
create function log.append(
  write_append int[], write_stream text[], write_expected bigint[],
  event_append int[], event_stream text[], event_revision bigint[], event_id uuid[], event_type text[],
  event_version smallint[], event_data json[], event_encrypted text[], event_metadata json[],
  out base bigint, out lost int[], out lost_streams text[], out found_positions bigint[]
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  added bigint;
  committed timestamptz;
  archived bigint;
  -- A partition is added this many positions before it is needed.
  reserve constant bigint := least(log.partition_size() / 2, 1000000);
  next_partition bigint;
begin
  -- An acknowledged append must be on disk, whatever the settings of the connection.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  -- Each statement has its own snapshot, so everything below sees what the lock's previous holder committed.
  perform log.lock();
  select e.position, e.committed_at into base, committed from log.events e order by e.position desc limit 1;
  base := coalesce(base, 0);
  committed := greatest(clock_timestamp(), committed);
  select a.position into archived from log.archive a;

  select coalesce(array_agg(late.append), '{}'), coalesce(array_agg(late.stream), '{}') into lost, lost_streams
  from (
    select distinct on (w.append) w.append, w.stream
    from unnest(write_append, write_stream, write_expected) with ordinality as w (append, stream, expected, write)
    left join log.streams s on s.stream = w.stream
    where w.expected <> coalesce(
      s.revision,
      case when archived > 0 and log.is_short_lived(w.stream) then
        (select max(e.revision) from log.events e where e.stream = w.stream and e.position <= archived) end,
      -1)
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

  with added_events as (
    insert into log.events (position, stream, revision, id, type, version, data, encrypted, metadata, committed_at)
    select base + row_number() over (order by e.ordinal),
      e.stream, e.revision, e.id, e.type, e.version, e.data, e.encrypted, e.metadata, committed
    from unnest(event_append, event_stream, event_revision, event_id, event_type, event_version, event_data,
      event_encrypted, event_metadata) with ordinality
      as e (append, stream, revision, id, type, version, data, encrypted, metadata, ordinal)
    where e.append <> all (lost)
    returning stream, revision, position
  ), heads as (
    insert into log.streams as s (stream, revision, first_position, last_position)
    -- An archived stream has events at unknown positions before these.
    select stream, max(revision), case when min(revision) = 0 then min(position) else 0 end, max(position)
    from added_events group by stream
    on conflict (stream) do update set revision = excluded.revision, last_position = excluded.last_position
  )
  select count(*) into added from added_events;

  if added > 0 then
    perform pg_notify('gatebook_log', (base + added)::text);
    next_partition := (base + added + reserve) / log.partition_size();
    if next_partition > (base + added) / log.partition_size() then
      -- Waits for a vacuum of the whole log at most this long; a later append tries again.
      perform set_config('lock_timeout', '50', true);
      begin
        perform log.add_partition(next_partition);
      exception when lock_not_available then null;
      end;
    end if;
  end if;
end $$;

-- Begins a new epoch after `head`, unless another process has begun one since epoch `seen`.
create function log.begin_epoch(seen uuid, head bigint, out current uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform log.lock();
  select e.epoch into current from log.epochs e order by e.number desc limit 1;
  if current = seen then
    insert into log.epochs (after_position) values (head) returning epoch into current;
    perform pg_notify('gatebook_log_epoch', current::text);
  end if;
end $$;

-- Archives streams of short life whose last event was committed before `before`: removes their heads from
-- `log.streams`, and keeps their events. Considers the next `at_most` events of the log.
-- Returns whether there are more events to consider.
create function log.archive_streams(before timestamptz, at_most int) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  walked bigint;
  reached bigint;
begin
  -- Appends look for archived streams up to the position of the archive, so both change together.
  perform log.lock();
  select a.position into walked from log.archive a for update;
  select max(e.position) into reached from (
    select e.position, e.committed_at from log.events e where e.position > walked order by e.position limit at_most
  ) e where e.committed_at < before;
  if reached is null then return false; end if;
  delete from log.streams s using log.events e
  where e.position > walked and e.position <= reached and log.is_short_lived(e.stream)
    and s.stream = e.stream and s.last_position = e.position;
  update log.archive set position = reached;
  return true;
end $$;

revoke execute on function
  log.append(int[], text[], bigint[], int[], text[], bigint[], uuid[], text[], smallint[], json[], text[], json[]),
  log.begin_epoch(uuid, bigint), log.archive_streams(timestamptz, int), log.add_partition(bigint), log.lock()
from public;
