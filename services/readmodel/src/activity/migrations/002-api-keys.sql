-- When API keys were last used.
create table activity.api_keys (
  key_id uuid primary key,
  owner_id uuid not null,
  project_id text not null,
  last_used_at timestamptz not null
);
create index api_keys_by_owner on activity.api_keys (owner_id);
