-- A rebuild that an operator asked for: it is built and kept at the log's head, and read only once it is switched to.
alter table readmodel.projection_versions add column is_standby boolean not null default false;
create unique index one_standby_projection_version on readmodel.projection_versions (group_name) where is_standby;
-- When it had caught up and had all its indexes: from then on it can be read.
alter table readmodel.projection_versions add column ready_at timestamptz;
update readmodel.projection_versions set ready_at = updated_at where status <> 'building';
-- When a switch to it, or away from it, began. For a moment some processes read one projection version and some the other, so that for so
-- long an answer waits until its write is in both.
alter table readmodel.projection_versions add column promoting_at timestamptz;
