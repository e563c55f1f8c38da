-- Whether batches keep the checksums of a generation's tables: not before its rebuild is through.
alter table readmodel.generations add column has_checksums boolean not null default false;
-- What the rows of each table add up to, as those say who wrote them (services/readmodel/src/proof/checksum.ts).
create table readmodel.checksums (
  generation_id bigint not null references readmodel.generations (id) on delete cascade,
  table_name text not null,
  row_count bigint not null default 0,
  hash_sum numeric not null default 0,
  -- The transaction since which batches are added; complete once the rows of before are added too.
  since xid8 not null default pg_current_xact_id(),
  is_complete boolean not null default false,
  primary key (generation_id, table_name)
) with (fillfactor = 50);
