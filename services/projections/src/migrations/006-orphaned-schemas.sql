-- Schemas of projection versions that were thrown away. They are dropped once nobody reads in them any more.
create table readmodel.orphaned_schemas (schema_name text primary key);
