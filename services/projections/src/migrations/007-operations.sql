-- Operators' requests, received by an API process and executed by the projector of the group, because only projectors
-- write read models.
create table readmodel.operations (
  id uuid primary key,
  group_name text not null,
  -- rebuild: build a new projection version. The other kinds apply to the projection version with this schema.
  kind text not null check (kind in ('rebuild', 'compare', 'promote', 'discard')),
  schema_name text,
  asked_at timestamptz not null default clock_timestamp(),
  -- Heartbeat of the projector that executes the request, until there is an answer.
  seen_at timestamptz,
  answer jsonb,
  check ((kind = 'rebuild') = (schema_name is null))
);
-- Required by the search for names. Created here because other roles may lack the privilege to create extensions.
create extension if not exists pg_trgm;
