-- Deletes the snapshot of a stream if it ends with this event, which the log has lost.
create function log.delete_snapshot(of_stream text, of_event uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  delete from log.snapshots s where s.stream = of_stream and s.event_id = of_event;
end $$;
revoke execute on function log.delete_snapshot(text, uuid) from public;
