-- Erasing a subject deletes its large values, in whatever way its key is destroyed.
create function keys.erase_blobs() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from log.blobs b using erased e where b.owner = e.subject_id and b.is_encrypted and e.wrapped is null;
  return null;
end $$;
create trigger erase_blobs after update on keys.subjects
  referencing new table as erased for each statement execute function keys.erase_blobs();
