-- The hours (UTC) in which the user was active: bit h for the hour from h to h + 1.
alter table activity.days add column hours integer not null default 0;
-- Browser and operating system of the last use that named them.
alter table activity.users add column device text;
alter table activity.users alter column device set statistics 0;
-- How often something happened in the day, week or month that begins with `start` (UTC), by a dimension; weeks and
-- months so far, until they are complete (docs/decisions/0110). Contains nobody: rows stay when users are erased.
create table activity.counts (
  project_id text not null,
  measure text not null,
  unit text not null,
  dimension text not null,
  start date not null,
  -- Empty if unknown, and of dimension `all`.
  value text not null,
  count integer not null,
  primary key (project_id, measure, unit, dimension, start, value)
);
