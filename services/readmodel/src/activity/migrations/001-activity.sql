-- When sessions and users were last active. Not events, because they are frequent and of little value each.
create table activity.sessions (
  session_id uuid primary key,
  user_id uuid not null,
  project_id text not null,
  last_used_at timestamptz not null,
  ip text,
  country text
);
create index sessions_by_user on activity.sessions (user_id);

create table activity.users (
  user_id uuid primary key,
  project_id text not null,
  last_active_at timestamptz not null,
  country text
);
create index users_by_activity on activity.users (project_id, last_active_at desc);

-- The users who were active on a day (UTC). Deleted users are still counted.
create table activity.days (
  project_id text not null,
  day date not null,
  user_id uuid not null,
  primary key (project_id, day, user_id)
);
