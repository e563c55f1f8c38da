-- Checkpoints of reactors, which cause side effects (emails, erasures) and are never replayed.
create table readmodel.subscriptions (
  name text primary key,
  position bigint not null,
  stopped_error text,
  stopped_position bigint,
  updated_at timestamptz not null default now()
);
