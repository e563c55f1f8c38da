-- Schemas of generations that were thrown away. They are dropped once nobody reads in them any more.
create table readmodel.leftovers (schema_name text primary key);
