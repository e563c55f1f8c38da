-- A rebuild requested by an operator: it is built and kept at the head of the log, and read only after its promotion.
alter table readmodel.projection_versions add column is_standby boolean not null default false;
create unique index one_standby_projection_version on readmodel.projection_versions (group_name) where is_standby;
-- When it had caught up and had all its indexes. From then on it can be read.
alter table readmodel.projection_versions add column ready_at timestamptz;
update readmodel.projection_versions set ready_at = updated_at where status <> 'building';
-- When a promotion of it, or of its replacement, began. For a moment, some processes read the old live version and some
-- the new one, so responses to writes wait until the write is in both.
alter table readmodel.projection_versions add column promoting_at timestamptz;
