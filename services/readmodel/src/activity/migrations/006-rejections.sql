-- Failed sign-ins and other rejected calls, counted in windows of five minutes (docs/decisions/0049). Not events,
-- because attackers decide how many there are. Nothing that a caller typed is in here.
create table activity.rejections (
  id uuid primary key default gen_random_uuid(),
  project_id text not null,
  window_at timestamptz not null,
  code text not null,
  route text not null,
  access_type text,
  -- The account that was tried or used; null if there is none, and for rejections that exceed the detailed rows.
  user_id uuid,
  -- IPv4: /24, IPv6: /48.
  network text,
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  first_request_id text not null,
  last_request_id text not null
);
create unique index rejections_by_window on activity.rejections (
  project_id, window_at, code, route,
  coalesce(access_type, ''), coalesce(user_id, '00000000-0000-0000-0000-000000000000'), coalesce(network, '')
);
create index rejections_by_user on activity.rejections (user_id) where user_id is not null;
-- The planner's samples would outlive the rows of an erased user.
alter table activity.rejections alter column network set statistics 0;

-- When the throttling of an account's sign-ins was last recorded in the log, so that processes record it once.
create table activity.throttled_accounts (
  user_id uuid primary key,
  project_id text not null,
  at timestamptz not null
);
create index throttled_accounts_by_project on activity.throttled_accounts (project_id, at);
