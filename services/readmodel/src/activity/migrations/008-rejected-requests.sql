-- Single requests that failed, to be found by their request ID (docs/decisions/0081). A bounded number per window of
-- five minutes; the windows in `rejections` count all. Nothing that a caller typed is in here.
create table activity.rejected_requests (
  request_id text primary key,
  project_id text not null,
  window_at timestamptz not null,
  at timestamptz not null,
  code text not null,
  status smallint not null,
  route text not null,
  access_type text,
  actor_kind text,
  actor_id uuid,
  impersonator_kind text,
  impersonator_id uuid,
  -- The account that was tried or used.
  user_id uuid,
  -- IPv4: /24, IPv6: /48.
  network text,
  -- Of a missing permission.
  team_id uuid,
  permission_id text
);
create index rejected_requests_by_window on activity.rejected_requests (project_id, window_at);
-- Find the rows of an erased person.
create index rejected_requests_by_user on activity.rejected_requests (user_id) where user_id is not null;
create index rejected_requests_by_actor on activity.rejected_requests (actor_id) where actor_id is not null;
create index rejected_requests_by_impersonator on activity.rejected_requests (impersonator_id)
  where impersonator_id is not null;
-- The planner's samples would outlive the rows of an erased user.
alter table activity.rejected_requests alter column network set statistics 0;
