-- The batch that a batch with the action `undo` takes back (docs/decisions/0139).
alter table activity.user_batches add column undoes_batch_id uuid;
