-- Whether a stopped projection version is still tried again. Then no event is at fault, but the same interruption, such
-- as a statement timeout, has repeated without any progress.
alter table readmodel.projection_versions add column is_retried boolean not null default false;
