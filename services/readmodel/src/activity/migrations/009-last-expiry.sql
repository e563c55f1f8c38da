-- When the worker last deleted what projects no longer keep. At most one row.
create table activity.rejection_expiry (
  is_only boolean primary key default true check (is_only),
  finished_at timestamptz not null
);
