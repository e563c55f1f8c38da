-- Lookup hash of the email address in the data encrypted under this key, for subjects that are not users: codes and
-- emails sent to an address. Erasing the user who has that address also erases these subjects.
alter table keys.subjects add column address_ref text;
create index subjects_by_address on keys.subjects (address_ref) where address_ref is not null;
-- The planner's samples of a column outlive its rows, and must not contain an erased key. Setting the type drops the
-- existing samples.
alter table keys.subjects alter column wrapped type text, alter column wrapped set statistics 0;
