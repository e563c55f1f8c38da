-- Idempotency records: encrypted responses to writes with an idempotency key. Kept for a day, so that no write is
-- executed twice.
create table requests.answers (
  -- Keyed hash of the caller and the idempotency key.
  id text primary key,
  -- Keyed hash of the request.
  fingerprint text not null,
  started_at timestamptz not null,
  -- null: the request is running, or the process that handled it died.
  answer text
);
create index answers_by_start on requests.answers (started_at);
