-- When the event happened; null in rows from before: about when they were created.
alter table webhooks.deliveries add column event_at timestamptz;
-- When the receiver accepted it, if it is sent again or was.
alter table webhooks.deliveries add column delivered_at timestamptz;
create index deliveries_failed on webhooks.deliveries (endpoint_id, position, index, nth) where status = 'failed';
-- Continues from a place among what is due.
drop index webhooks.deliveries_due;
create index deliveries_due on webhooks.deliveries (endpoint_id, next_attempt_at, position, index, nth)
  where status = 'pending';

-- An endpoint that is deleted keeps its row for a while, so that a process that does not know it adds nothing.
alter table webhooks.endpoints add column deleted_at timestamptz;

-- Whether `matched` is the whole number. Otherwise there were more than could be counted in a request.
alter table webhooks.replays add column is_exact boolean not null default true;
-- How many events it has added so far.
alter table webhooks.replays add column added integer not null default 0;
