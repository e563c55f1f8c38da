-- Answers to writes that came with a key of their own, encrypted: kept for a day, so that the same write is not done twice.
create table requests.answers (
  -- Keyed hash of who asked and the key.
  id text primary key,
  -- Keyed hash of what was asked.
  fingerprint text not null,
  started_at timestamptz not null,
  -- null: still being worked on, or whoever worked on it has died.
  answer text
);
create index answers_by_start on requests.answers (started_at);
