-- Only these functions destroy keys. They run with the privileges of their owner, so their callers cannot change a key
-- in any other way. services/eventlog/src/postgres/privileges.ts lists the roles that can call them.
create function keys.erase_subject(erased_id text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into keys.subjects (subject_id, wrapped, erased_at) values (erased_id, null, now())
  on conflict (subject_id) do update
  set wrapped = null, address_ref = null, erased_at = coalesce(keys.subjects.erased_at, now());
  select pg_notify('gatebook_subject_erased', erased_id);
$$;

create function keys.erase_address(erased_ref text, made_before timestamptz) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  erased_id text;
begin
  for erased_id in
    update keys.subjects set wrapped = null, address_ref = null, erased_at = now()
    where address_ref = erased_ref and created_at < coalesce(made_before, 'infinity') returning subject_id
  loop
    perform pg_notify('gatebook_subject_erased', erased_id);
  end loop;
end $$;

revoke execute on function keys.erase_subject(text), keys.erase_address(text, timestamptz) from public;
