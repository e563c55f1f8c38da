-- A projection version has one or more shards. Each applies the events of the projects that hash to it, from its own
-- checkpoint.
alter table readmodel.projection_versions add column shards integer not null default 1 check (shards > 0);
create table readmodel.projection_shards (
  version_id bigint not null references readmodel.projection_versions (id) on delete cascade,
  shard integer not null,
  -- Every event of the shard up to here is in the tables.
  position bigint not null default 0,
  -- ID of the event at `position`, so that a checkpoint of another history of the log is noticed.
  event_id text,
  -- Of the last event that belongs to the shard; events between here and `position` belong to others.
  applied_position bigint not null default 0,
  -- Rises when a project is quarantined or released.
  quarantine_revision bigint not null default 0,
  -- Whether batches update the checksums of the tables. Here, because a batch waits for the row of its shard only.
  has_checksums boolean not null default false,
  stopped_error text,
  stopped_position bigint,
  -- Whether a stopped shard is still tried again.
  is_retried boolean not null default false,
  updated_at timestamptz not null default now(),
  primary key (version_id, shard)
) with (fillfactor = 50);
insert into readmodel.projection_shards (version_id, shard, position, event_id, applied_position, quarantine_revision,
  has_checksums, stopped_error, stopped_position, is_retried)
  select id, 0, position, event_id, position, quarantine_revision, has_checksums, stopped_error, stopped_position, is_retried
  from readmodel.projection_versions;
alter table readmodel.projection_versions drop column position, drop column event_id, drop column quarantine_revision,
  drop column has_checksums, drop column stopped_error, drop column stopped_position, drop column is_retried;
-- Each shard adds to its own rows, so that shards do not wait for each other. The checksum of a table is their sum.
alter table readmodel.checksums add column shard integer not null default 0;
alter table readmodel.checksums drop constraint checksums_pkey, add primary key (version_id, shard, table_name);
-- A project is quarantined per shard, because events of a shared project change rows of every shard. 0 for reactors.
alter table readmodel.quarantines add column shard integer not null default 0;
alter table readmodel.quarantines drop constraint quarantines_pkey, add primary key (subscriber, shard, project_id);
