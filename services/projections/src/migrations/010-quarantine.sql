-- Projects that a subscriber does not follow at the moment, because it could not read or process one of their events.
create table readmodel.quarantines (
  -- Schema of a projection version, or name of a reactor.
  subscriber text not null,
  project_id text not null,
  -- The event that failed.
  position bigint not null,
  error text not null,
  -- The subscriber has processed the project's events up to here. Later ones wait.
  after_position bigint not null,
  since timestamptz not null default now(),
  failures integer not null default 1,
  -- When to try again; null until newer code starts or an operator releases the project.
  retry_at timestamptz,
  primary key (subscriber, project_id)
);
create index quarantines_to_retry on readmodel.quarantines (retry_at) where retry_at is not null;
-- Rises when a project is quarantined or released. A checkpoint moves only at the revision that its batch was made for.
alter table readmodel.projection_versions add column quarantine_revision bigint not null default 0;
alter table readmodel.subscriptions add column quarantine_revision bigint not null default 0;
