-- Checkpoints of subscriptions that act instead of keeping tables: mails, erasures. Nothing replays them.
create table readmodel.subscriptions (
  name text primary key,
  position bigint not null,
  stopped_error text,
  stopped_position bigint,
  updated_at timestamptz not null default now()
);
