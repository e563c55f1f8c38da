-- Whether batches keep the checksums of a projection version's tables: not before its rebuild is through.
alter table readmodel.projection_versions add column has_checksums boolean not null default false;
-- What the rows of each table add up to, as those say who wrote them (services/projections/src/consistency/checksum.ts).
create table readmodel.checksums (
  version_id bigint not null references readmodel.projection_versions (id) on delete cascade,
  table_name text not null,
  row_count bigint not null default 0,
  hash_sum numeric not null default 0,
  -- The transaction since which batches are added; complete once the rows of before are added too.
  since xid8 not null default pg_current_xact_id(),
  is_complete boolean not null default false,
  primary key (version_id, table_name)
) with (fillfactor = 50);
