-- Consistency checks and their results.
create table readmodel.consistency_checks (
  id bigint generated always as identity primary key,
  group_name text not null,
  -- Schema of the checked projection version, and its checkpoint at that time.
  projection_version text not null,
  position bigint not null,
  -- sample: some aggregates, in the background; verify: every row; repair: rows that were repaired.
  kind text not null check (kind in ('sample', 'verify', 'repair')),
  checked_at timestamptz not null,
  took_ms integer not null,
  rows_checked bigint not null,
  -- Tables whose rows do not match their checksum.
  checksums_off text[] not null,
  differing bigint not null,
  -- The first differences: table, key, kind and columns, never the values of the columns.
  differences jsonb not null
);
create index consistency_checks_by_group on readmodel.consistency_checks (group_name, kind, id desc);
