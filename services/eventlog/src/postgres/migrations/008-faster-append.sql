-- A faster `log.append`. Its plans are made while `log.streams` is small and stay when it has grown, so it must never
-- scan a table: with a sequential scan of `log.streams`, an append took longer the more streams there were. A batch of
-- one event and at most one guard, which most batches are while few requests run at once, needs no set operations.
create or replace function log.append(
  write_append int[], write_stream text[], write_expected bigint[],
  event_append int[], event_stream text[], event_revision bigint[], event_id uuid[], event_type text[],
  event_version smallint[], event_data json[], event_encrypted text[], event_metadata json[],
  out base bigint, out lost int[], out lost_streams text[], out found_positions bigint[], out committed timestamptz
) language plpgsql security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  added bigint;
  archived bigint;
  writes constant int := cardinality(write_append);
  is_single boolean := cardinality(event_id) = 1 and writes <= 2 and write_append[writes] = 1;
  -- A partition is added this many positions before it is needed.
  reserve constant bigint := least(log.partition_size() / 2, 1000000);
  next_partition bigint;
begin
  -- An acknowledged append must be on disk, whatever the settings of the connection.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  -- Each statement has its own snapshot, so everything below sees what the lock's previous holder committed.
  perform pg_advisory_xact_lock('log.events'::regclass::int, 0);
  select e.position, e.committed_at, a.position into base, committed, archived
  from log.archive a
  left join lateral (select * from log.events order by position desc limit 1) e on true;
  base := coalesce(base, 0);
  committed := greatest(clock_timestamp(), committed);
  lost := '{}';
  lost_streams := '{}';
  found_positions := '{}';

  -- A conflict takes the other path.
  for write in 1 .. case when is_single then writes else 0 end loop
    is_single := is_single and write_expected[write] = coalesce(
      (select s.revision from log.streams s where s.stream = write_stream[write]),
      case when archived > 0 and log.is_short_lived(write_stream[write]) then
        (select max(e.revision) from log.events e where e.stream = write_stream[write] and e.position <= archived) end,
      -1);
  end loop;

  if is_single then
    insert into log.events (position, stream, revision, id, type, version, data, encrypted, metadata, committed_at)
    values (base + 1, event_stream[1], event_revision[1], event_id[1], event_type[1], event_version[1], event_data[1],
      event_encrypted[1], event_metadata[1], committed);
    insert into log.streams as s (stream, revision, first_position, last_position)
    -- An archived stream has events at unknown positions before this one.
    values (event_stream[1], event_revision[1], case when event_revision[1] = 0 then base + 1 else 0 end, base + 1)
    on conflict (stream) do update set revision = excluded.revision, last_position = excluded.last_position;
    added := 1;
  else
    select coalesce(array_agg(late.append), '{}'), coalesce(array_agg(late.stream), '{}') into lost, lost_streams
    from (
      select distinct on (w.append) w.append, w.stream
      from unnest(write_append, write_stream, write_expected) with ordinality as w (append, stream, expected, write)
      where w.expected <> coalesce(
        (select s.revision from log.streams s where s.stream = w.stream),
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
  end if;

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
