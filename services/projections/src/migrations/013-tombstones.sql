-- Each tombstone marks all rows with one value in one column of a projection version as deleted, forever. The projector
-- removes the rows afterwards in small steps. Rows of tombstones that are not cleared may still exist: readers hide
-- them.
create table readmodel.tombstones (
  schema_name text not null,
  column_name text not null,
  value text not null,
  -- Of the event that deleted them.
  position bigint not null,
  is_cleared boolean not null default false,
  primary key (schema_name, column_name, value)
);
create index tombstones_to_clear on readmodel.tombstones (schema_name, column_name, position) where not is_cleared;
