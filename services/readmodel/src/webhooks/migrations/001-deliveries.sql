-- Where each endpoint is in the feed of its project, and how its receiver does. Not events: the log has what endpoints
-- are, and rebuilding read models must send nothing. Bodies are not stored: they are derived from the log when they are
-- sent, so erasing a person reaches them.
create table webhooks.endpoints (
  endpoint_id uuid primary key,
  project_id text not null,
  -- All events before this place have deliveries.
  position bigint not null,
  index integer not null,
  nth integer not null,
  -- The first failure since the last success.
  failing_since timestamptz,
  last_success_at timestamptz,
  -- When the owners were told that the endpoint fails.
  warned_at timestamptz,
  -- The receiver asked for a pause.
  paused_until timestamptz,
  -- When the rate limit would be used up completely.
  limited_until timestamptz
);
create index endpoints_by_project on webhooks.endpoints (project_id);

create table webhooks.deliveries (
  id uuid primary key,
  project_id text not null,
  endpoint_id uuid not null,
  event_id text not null,
  type text not null,
  -- The user or team that the event is about; the order among its events is kept.
  subject text not null,
  -- Place in the feed, and the cursor after it: encrypted differently each time, but retries send the same bytes.
  position bigint not null,
  index integer not null,
  nth integer not null,
  cursor text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Why the next attempt is made.
  trigger text not null default 'scheduled' check (trigger in ('scheduled', 'manual', 'replay')),
  replay_id uuid,
  attempt_count integer not null default 0,
  -- Failed attempts since it was last scheduled from the beginning.
  step integer not null default 0,
  -- When it is due; while it is being sent, the end of the lease.
  next_attempt_at timestamptz,
  lease uuid,
  last_status_code integer,
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (endpoint_id, event_id)
);
create index deliveries_due on webhooks.deliveries (endpoint_id, next_attempt_at) where status = 'pending';
create index deliveries_of_subject on webhooks.deliveries (endpoint_id, subject, position, index, nth)
  where status = 'pending';
create index deliveries_pending on webhooks.deliveries (endpoint_id, position, index, nth) where status = 'pending';
create index deliveries_by_place on webhooks.deliveries (endpoint_id, position, index, nth);
create index deliveries_by_project on webhooks.deliveries (project_id);
create index deliveries_finished on webhooks.deliveries (finished_at) where status = 'delivered';
create index deliveries_of_replay on webhooks.deliveries (replay_id) where replay_id is not null;

-- Kept for 30 days.
create table webhooks.attempts (
  delivery_id uuid not null,
  number integer not null,
  project_id text not null,
  endpoint_id uuid not null,
  at timestamptz not null,
  trigger text not null,
  status_code integer,
  error_code text,
  duration_ms integer not null,
  -- The beginning of the response, encrypted under the keys of these subjects: receivers can repeat what was sent.
  response text,
  subjects text[] not null default '{}',
  primary key (delivery_id, number)
);
create index attempts_by_endpoint on webhooks.attempts (endpoint_id, at);
create index attempts_by_project on webhooks.attempts (project_id);
create index attempts_by_time on webhooks.attempts (at);

create table webhooks.replays (
  id uuid primary key,
  project_id text not null,
  endpoint_id uuid not null,
  -- Which events: those of failed deliveries, those that were never delivered, or all.
  wanted text not null check (wanted in ('failed', 'missing', 'all')),
  types text[],
  since timestamptz,
  until timestamptz,
  -- Where the replay is, and the place at which it ends.
  position bigint not null,
  index integer not null,
  nth integer not null,
  end_position bigint not null,
  end_index integer not null,
  end_nth integer not null,
  matched integer not null,
  created_at timestamptz not null,
  canceled_at timestamptz,
  finished_at timestamptz
);
create index replays_by_project on webhooks.replays (project_id);
create index replays_running on webhooks.replays (created_at) where finished_at is null and canceled_at is null;
