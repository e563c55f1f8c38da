-- One row per projection version of a projection group. Its tables are in the schema `schema_name`; `position` is its checkpoint.
create table readmodel.projection_versions (
  id bigint generated always as identity primary key,
  group_name text not null,
  version integer not null,
  schema_name text not null unique,
  -- building: not read yet; live: what is read; previous: can be switched back to. All of them follow the log.
  status text not null check (status in ('building', 'live', 'previous')),
  -- The tables as they were made, so that later code can tell whether it can read them.
  tables jsonb not null,
  position bigint not null default 0,
  -- Why it does not follow the log any more: the event that could not be applied.
  stopped_error text,
  stopped_position bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index one_live_projection_version on readmodel.projection_versions (group_name) where status = 'live';
create unique index one_previous_projection_version on readmodel.projection_versions (group_name) where status = 'previous';
