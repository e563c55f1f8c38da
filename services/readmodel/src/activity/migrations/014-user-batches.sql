-- Batches of users and how far each has got (docs/decisions/0135). The log says whether a batch was started and how it
-- ended. A batch that has not ended keeps the project from starting another one.
create table activity.user_batches (
  id uuid primary key,
  project_id text not null,
  action text not null,
  team_id uuid,
  permission_id text,
  actor_kind text not null,
  actor_id text,
  total integer not null,
  -- Users in the order of the batch, with those that failed.
  done integer not null default 0,
  failed integer not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  outcome text
);
create unique index user_batches_running on activity.user_batches (project_id) where ended_at is null;
create index user_batches_by_project on activity.user_batches (project_id, created_at);

create table activity.user_batch_users (
  batch_id uuid not null,
  nth integer not null,
  project_id text not null,
  user_id uuid not null,
  -- Why the change of the user was rejected: the code and the details of the error.
  error text,
  details jsonb,
  primary key (batch_id, nth)
);
create index user_batch_users_failed on activity.user_batch_users (batch_id, nth) where error is not null;
create index user_batch_users_by_project on activity.user_batch_users (project_id);
