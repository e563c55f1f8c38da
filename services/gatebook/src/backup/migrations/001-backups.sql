-- The last backups, for `gatebook doctor`.
create table backups.made (
  id uuid primary key,
  finished_at timestamptz not null default now(),
  -- Position of the newest event in the backup; null if the log is not in the database.
  head bigint
);

-- The restore that filled this database. Until it has finished, no server starts here.
create table backups.restore (
  only_row boolean primary key default true check (only_row),
  backup_id uuid not null,
  -- The chunks of the file that are in the database, and the digest of the file up to the last of them.
  chunks bigint not null default 0,
  digest text not null,
  finished_at timestamptz
);
