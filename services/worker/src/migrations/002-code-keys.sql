-- Keys of codes whose data must be unreadable once the code has expired. Not events: they can be derived from the log,
-- and are erased with their keys.
create table worker.code_keys (
  subject_id uuid primary key,
  expires_at timestamptz not null
);
create index code_keys_by_expiry on worker.code_keys (expires_at);
