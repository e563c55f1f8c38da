-- Tables of a projection version that is being built which are to be copied from the live version, because nothing that
-- their rows depend on has changed.
alter table readmodel.projection_versions add column tables_to_copy text[] not null default '{}';
