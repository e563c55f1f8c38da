-- Keys of codes that hold what nobody may read once the code has expired. Not events: made again from the log, erased
-- with their keys.
create table worker.code_keys (
  subject_id uuid primary key,
  expires_at timestamptz not null
);
create index code_keys_by_expiry on worker.code_keys (expires_at);
