-- Large values of events, outside the log, also when the log is in EventStoreDB. `owner` is the subject under whose key
-- the content is encrypted, or `project-<id>` for plain content. A blob is stored before the event that refers to it.
-- The worker marks it as used when it sees that event, and removes blobs whose append failed.
create table log.blobs (
  owner text collate "C" not null,
  hash text collate "C" not null,
  content bytea not null,
  is_encrypted boolean not null,
  is_used boolean not null default false,
  put_at timestamptz not null default now(),
  primary key (owner, hash)
);
create index unused_blobs on log.blobs (put_at) where not is_used;
-- The planner's samples outlive the rows, and are useless here.
alter table log.blobs alter column content set statistics 0;

create function log.put_blobs(owners text[], hashes text[], contents bytea[], encrypted boolean[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- The event that refers to a blob is durable once it is acknowledged, so the blob must be too.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  -- An erasure that is in progress comes first, and deletes what is stored afterwards only if it waits for this.
  perform from keys.subjects where subject_id = any (owners) order by subject_id for share;
  insert into log.blobs as b (owner, hash, content, is_encrypted)
  select given.owner, given.hash, given.content, given.is_encrypted
  from unnest(owners, hashes, contents, encrypted) as given (owner, hash, content, is_encrypted)
  where not given.is_encrypted
    or exists (select from keys.subjects s where s.subject_id = given.owner and s.wrapped is not null)
  order by given.owner, given.hash
  on conflict (owner, hash) do update set put_at = now() where not b.is_used;
end $$;

create function log.mark_blobs_used(owners text[], hashes text[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update log.blobs b set is_used = true
  from unnest(owners, hashes) as given (owner, hash)
  where b.owner = given.owner and b.hash = given.hash and not b.is_used;
$$;

create function log.remove_unused_blobs(put_before timestamptz, at_most int) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with removed as (
    delete from log.blobs b
    where (b.owner, b.hash) in (
        select u.owner, u.hash from log.blobs u
        where not u.is_used and u.put_at < put_before order by u.put_at limit at_most)
      and not b.is_used and b.put_at < put_before
    returning 1)
  select count(*) from removed;
$$;

revoke execute on function log.put_blobs(text[], text[], bytea[], boolean[]), log.mark_blobs_used(text[], text[]),
  log.remove_unused_blobs(timestamptz, int) from public;
