-- How many mails went to a recipient, or left for a project, in a stretch of time. Not events: nothing depends on their
-- history.
create table worker.email_counts (
  scope text not null,
  since timestamptz not null,
  count integer not null,
  primary key (scope, since)
);
create index email_counts_by_time on worker.email_counts (since);
