-- One row per version of a projection group. Its tables are in the schema `schema_name`; `position` is its checkpoint.
create table readmodel.projection_versions (
  id bigint generated always as identity primary key,
  group_name text not null,
  version integer not null,
  schema_name text not null unique,
  -- building: not read yet; live: serves queries; previous: kept for a rollback. All of them follow the log.
  status text not null check (status in ('building', 'live', 'previous')),
  -- The tables as they were created, so that later code knows whether it can read them.
  tables jsonb not null,
  position bigint not null default 0,
  -- Set when an event could not be applied. A stopped version no longer follows the log.
  stopped_error text,
  stopped_position bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index one_live_projection_version on readmodel.projection_versions (group_name) where status = 'live';
create unique index one_previous_projection_version on readmodel.projection_versions (group_name) where status = 'previous';
