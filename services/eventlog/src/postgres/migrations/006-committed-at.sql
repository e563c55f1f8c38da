-- `log.append` also returns the commit time, so that a process knows its own events without reading them.

-- A function that is dropped loses its privileges.
create temporary table append_callers on commit drop as
select distinct grantee from pg_proc, aclexplode(proacl)
where oid = 'log.append(int[], text[], bigint[], int[], text[], bigint[], uuid[], text[], smallint[], json[], text[], json[])'::regprocedure
  and grantee not in (0, proowner);

drop function log.append(
  int[], text[], bigint[], int[], text[], bigint[], uuid[], text[], smallint[], json[], text[], json[]);

-- Commits a batch of independent appends in one round trip. An append consists of one or more writes; a write contains
-- the events of one stream, or none if it only requires a revision. The arrays are parallel, appends count from 1, and
-- events are in the order of their appends. No two appends may write to the same stream. Events get the positions after
-- `base` in this order. An append that has a stream not at its expected revision is a conflict: none of its events are
-- stored, and `lost_streams` returns that stream. If the append conflicts with itself, because it was sent again after
-- a broken connection, its events are already stored and `found_positions` returns the position of the last of them.
-- `committed` is the time that the stored events get.
create function log.append(
  write_append int[], write_stream text[], write_expected bigint[],
  event_append int[], event_stream text[], event_revision bigint[], event_id uuid[], event_type text[],
  event_version smallint[], event_data json[], event_encrypted text[], event_metadata json[],
  out base bigint, out lost int[], out lost_streams text[], out found_positions bigint[], out committed timestamptz
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  added bigint;
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

revoke execute on function log.append(
  int[], text[], bigint[], int[], text[], bigint[], uuid[], text[], smallint[], json[], text[], json[]) from public;

do $$
declare
  caller oid;
begin
  for caller in select grantee from append_callers loop
    execute format('grant execute on function log.append('
      'int[], text[], bigint[], int[], text[], bigint[], uuid[], text[], smallint[], json[], text[], json[]) to %s', caller::regrole);
  end loop;
end $$;
