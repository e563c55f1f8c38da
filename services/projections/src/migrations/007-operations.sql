-- What operators ask of the projector of a set through an API, which may not write read models itself. Rows go with their answers.
create table readmodel.operations (
  id uuid primary key,
  group_name text not null,
  -- rebuild: build a projection version anew; compare, switch, discard: of the projection version with this schema.
  kind text not null check (kind in ('rebuild', 'compare', 'switch', 'discard')),
  schema_name text,
  asked_at timestamptz not null default clock_timestamp(),
  -- Until there is an answer, whoever works on it says again and again that it lives.
  seen_at timestamptz,
  answer jsonb,
  check ((kind = 'rebuild') = (schema_name is null))
);
-- The search for names; only the owner of the database may always make extensions.
create extension if not exists pg_trgm;
