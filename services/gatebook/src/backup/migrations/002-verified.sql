-- When `gatebook backup verify` last found the file complete and its keys readable.
alter table backups.made add column verified_at timestamptz;
