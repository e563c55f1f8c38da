-- States of long streams, so that a new process does not read these from their first event. Rows can be deleted at any
-- time. `subject` is the one under whose key the content is encrypted; null: there is no personal data in it.
create table log.snapshots (
  stream text collate "C" primary key,
  revision bigint not null,
  version text not null,
  event_id uuid not null,
  subject text,
  content bytea not null
);
create index snapshots_by_subject on log.snapshots (subject) where subject is not null;
-- The planner's samples outlive the rows, and are useless here.
alter table log.snapshots alter column content set statistics 0;

-- Replaces the snapshot of a stream if it is older or of another version.
create function log.put_snapshot(of_stream text, at_revision bigint, of_version text, of_event uuid, of_subject text,
  given bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  -- An erasure that is in progress comes first, and deletes what is stored afterwards only if it waits for this.
  perform from keys.subjects where subject_id = of_subject for share;
  insert into log.snapshots as s (stream, revision, version, event_id, subject, content)
  select of_stream, at_revision, of_version, of_event, of_subject, given
  where of_subject is null
    or exists (select from keys.subjects k where k.subject_id = of_subject and k.wrapped is not null)
  on conflict (stream) do update set revision = excluded.revision, version = excluded.version,
    event_id = excluded.event_id, subject = excluded.subject, content = excluded.content
  where s.version <> excluded.version or s.revision < excluded.revision;
end $$;
revoke execute on function log.put_snapshot(text, bigint, text, uuid, text, bytea) from public;
