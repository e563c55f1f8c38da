-- Requests of operators, made through an API process and executed by the projector of the group. Only projectors write read models.
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
