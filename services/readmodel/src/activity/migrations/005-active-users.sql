-- How many users were active in the days up to and including `day` (UTC), counted once when the day is complete. Stays
-- when the users of the day are forgotten.
create table activity.active_users (
  project_id text not null,
  day date not null,
  -- Length of the period: 1, 7 or 30.
  days smallint not null,
  users integer not null,
  anonymous_users integer not null,
  -- Users who signed up in the period; without deleted ones.
  new_users integer not null,
  primary key (project_id, days, day)
);
