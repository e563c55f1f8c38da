-- Number of emails sent to a recipient, or by a project, in a period. Not events, because nothing depends on their
-- history.
create table worker.email_counts (
  scope text not null,
  since timestamptz not null,
  count integer not null,
  primary key (scope, since)
);
create index email_counts_by_time on worker.email_counts (since);
