-- Whether the event cannot be decrypted because the key of a subject is missing. Then an operator restores the key or
-- declares it lost.
alter table readmodel.quarantines add column is_key_lost boolean not null default false;
