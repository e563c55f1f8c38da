-- The first request of an app that a project accepted, for Get started. No state depends on it, so it is no event.
create table activity.first_requests (
  project_id text primary key,
  at timestamptz not null,
  access_type text not null,
  -- null: of a client without a key.
  key_id uuid,
  -- The software that sent it, such as `js @stackframe/js@2.8.35`, `curl` or `Firefox`; null if unknown.
  client text
);
