-- The installation key: one random key per installation, from which lookup hashes are derived. The master key that
-- wraps it also wraps every new key.
create table keys.installation (
  is_only boolean primary key default true check (is_only),
  wrapped text not null
);

alter table keys.signing add column signs_from timestamptz;
update keys.signing set signs_from = created_at + interval '60 seconds';
alter table keys.signing alter column signs_from set not null;

-- A withdrawn key has no private part. Its row stays, so that the key can never be added again.
alter table keys.signing add column withdrawn_at timestamptz;
alter table keys.signing alter column wrapped drop not null;
alter table keys.signing add check ((wrapped is null) = (withdrawn_at is not null));
