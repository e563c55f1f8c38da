-- Schemas of discarded projection versions. They are dropped once no transaction reads them.
create table readmodel.orphaned_schemas (schema_name text primary key);
