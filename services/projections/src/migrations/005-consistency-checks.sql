-- What was held against the log, and what came out.
create table readmodel.consistency_checks (
  id bigint generated always as identity primary key,
  group_name text not null,
  -- Schema of the projection version that was looked at, and its checkpoint then.
  projection_version text not null,
  position bigint not null,
  -- sample: some aggregates, in the background; verify: every row; repair: rows that were repaired.
  kind text not null check (kind in ('sample', 'verify', 'repair')),
  checked_at timestamptz not null,
  took_ms integer not null,
  rows_checked bigint not null,
  -- Tables whose rows do not add up to their checksum.
  checksums_off text[] not null,
  differing bigint not null,
  -- The first of them: table, key, kind and columns, never what the columns hold.
  differences jsonb not null
);
create index proofs_by_set on readmodel.consistency_checks (group_name, kind, id desc);
