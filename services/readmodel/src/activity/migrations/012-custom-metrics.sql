-- How far each custom metric has counted the public events of its project, and what it has counted
-- (docs/decisions/0128). Can be lost: the worker counts the events of the feed again.
create table activity.metric_progress (
  metric_id uuid primary key,
  project_id text not null,
  -- The version of the definition that is counted. `run`: a count from the first event on;
  -- only its rows count.
  revision bigint not null,
  run uuid not null,
  -- All events before this place of the feed are counted. `event_id`: of the event of the log there, if there is one.
  position bigint not null,
  index integer not null,
  nth integer not null,
  event_id uuid,
  -- The first event of the project, and the end of its feed when the run began.
  first_position bigint not null,
  target_position bigint not null,
  is_complete boolean not null
);
create index metric_progress_by_project on activity.metric_progress (project_id);

create table activity.metric_counts (
  metric_id uuid not null,
  run uuid not null,
  -- Of the hour, day, week or month.
  start timestamptz not null,
  -- Whether it is the count of all values.
  is_total boolean not null,
  -- Empty if unknown.
  value text not null,
  project_id text not null,
  count integer not null,
  primary key (metric_id, run, start, is_total, value)
);
create index metric_counts_by_project on activity.metric_counts (project_id);

-- Who is counted in the latest intervals, so that nobody is counted twice: hashes of user IDs. Removed when an interval
-- is over.
create table activity.metric_users (
  metric_id uuid not null,
  run uuid not null,
  start timestamptz not null,
  is_total boolean not null,
  value text not null,
  user_hash bytea not null,
  project_id text not null,
  primary key (metric_id, run, start, is_total, value, user_hash)
);
create index metric_users_by_project on activity.metric_users (project_id);
