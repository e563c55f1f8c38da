-- Whether batches update the checksums of this version's tables. False until its rebuild has finished.
alter table readmodel.projection_versions add column has_checksums boolean not null default false;
-- Checksum of the rows of each table, updated with each write (services/projections/src/consistency/checksum.ts).
create table readmodel.checksums (
  version_id bigint not null references readmodel.projection_versions (id) on delete cascade,
  table_name text not null,
  row_count bigint not null default 0,
  hash_sum numeric not null default 0,
  -- Batches add to the checksum from this transaction on. It is complete once all earlier rows are added too.
  since xid8 not null default pg_current_xact_id(),
  is_complete boolean not null default false,
  primary key (version_id, table_name)
) with (fillfactor = 50);
