-- Erasing a subject also deletes the states of its streams, in whatever way its key is destroyed.
create function keys.erase_snapshots() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from log.snapshots s using erased e where s.subject = e.subject_id and e.wrapped is null;
  return null;
end $$;
create trigger erase_snapshots after update on keys.subjects
  referencing new table as erased for each statement execute function keys.erase_snapshots();
