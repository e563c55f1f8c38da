-- The project that a subject belongs to. Null: the key was added before this column existed, and the worker has not
-- found its project in the log yet.
alter table keys.subjects add column project_id text;
create index subjects_by_project on keys.subjects (project_id) where project_id is not null and wrapped is not null;
create index subjects_without_project on keys.subjects (created_at) where project_id is null and wrapped is not null;

-- Deleted projects. From the moment of its row, no key of a project is read or added. Destroying the keys takes longer.
create table keys.erased_projects (
  project_id text primary key,
  erased_at timestamptz not null default now()
);

-- How far the log has been searched for the projects of keys that were added without one.
create table keys.project_search (
  is_only boolean primary key default true check (is_only),
  position bigint not null,
  -- The search found every key that was added before this time; null: it has not reached the head yet.
  complete_until timestamptz
);

-- Orders additions of a project's keys and the erasure of the project: an addition is committed before the erasure, or
-- sees it. The caller's next statement has a newer snapshot.
create function keys.lock_project(locked_project text, is_erasure boolean) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  select case when is_erasure then pg_advisory_xact_lock(1801812339, hashtext(locked_project))
    else pg_advisory_xact_lock_shared(1801812339, hashtext(locked_project)) end;
$$;

-- Adds keys for subjects that have none. Returns the added ones: none if the project was erased.
create function keys.add_subjects(new_ids text[], new_keys text[], new_address_refs text[], of_project text)
returns table (subject_id text, wrapped text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  if of_project is not null then
    perform keys.lock_project(of_project, false);
    if exists (select from keys.erased_projects e where e.project_id = of_project) then
      return;
    end if;
  end if;
  return query
    insert into keys.subjects as s (subject_id, wrapped, address_ref, project_id)
    select new.id, new.key, new.address_ref, of_project
    from unnest(new_ids, new_keys, new_address_refs) as new (id, key, address_ref)
    on conflict (subject_id) do nothing
    returning s.subject_id, s.wrapped;
end $$;

-- Makes all keys of a project unreadable, then destroys at most `at_most` of them. Returns how many. Call it until it
-- returns fewer than `at_most`: no statement locks many rows, and an interrupted erasure continues where it was.
create function keys.erase_project(erased_project text, at_most integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  destroyed integer;
begin
  if not exists (select from keys.erased_projects e where e.project_id = erased_project) then
    perform keys.lock_project(erased_project, true);
    insert into keys.erased_projects (project_id) values (erased_project) on conflict do nothing;
    perform pg_notify('gatebook_project_erased', erased_project);
  end if;
  update keys.subjects s set wrapped = null, address_ref = null, erased_at = now()
  where s.wrapped is not null and s.subject_id = any (array(
    select k.subject_id from keys.subjects k where k.project_id = erased_project and k.wrapped is not null limit at_most));
  get diagnostics destroyed = row_count;
  return destroyed;
end $$;

-- Fills in the projects of keys that were added without one. Returns those of these projects that were erased: their
-- keys are now unreadable, and to be destroyed.
create function keys.assign_projects(found_ids text[], found_projects text[]) returns setof text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform keys.lock_project(p.id, false) from (select distinct unnest(found_projects) as id order by 1) p;
  return query
    with assigned as (
      update keys.subjects s set project_id = found.project_id
      from unnest(found_ids, found_projects) as found (subject_id, project_id)
      where s.subject_id = found.subject_id and s.project_id is null and s.wrapped is not null
      returning s.project_id
    )
    select e.project_id from keys.erased_projects e where e.project_id in (select a.project_id from assigned a);
end $$;

revoke execute on function
  keys.lock_project(text, boolean),
  keys.add_subjects(text[], text[], text[], text),
  keys.erase_project(text, integer),
  keys.assign_projects(text[], text[]) from public;
