-- Keyed hash of the e-mail address that the facts encrypted under this key tell, for subjects that are no users: codes and mails to an
-- address. By it they are erased with the user whose address it is.
alter table keys.subjects add column address_ref text;
create index subjects_by_address on keys.subjects (address_ref) where address_ref is not null;
-- The planner's samples of a column outlive its rows: an erased key must not be among them. Setting the type drops those that there are.
alter table keys.subjects alter column wrapped type text, alter column wrapped set statistics 0;
