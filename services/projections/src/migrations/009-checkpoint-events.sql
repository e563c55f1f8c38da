-- ID of the event at `position`, so that a checkpoint of another history of the log is noticed. Null in checkpoints of
-- earlier releases.
alter table readmodel.projection_versions add column event_id text;
alter table readmodel.subscriptions add column event_id text;
