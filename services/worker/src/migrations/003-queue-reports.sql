-- Problems of the queues, for processes that cannot read them. The leading worker replaces the row every few seconds.
create table worker.queue_reports (
  only_row boolean primary key default true check (only_row),
  problems jsonb not null,
  reported_at timestamptz not null default now()
);
