-- The response is also encrypted under the keys of these subjects, so it can't be decrypted once one of them is erased.
alter table requests.answers add column subjects text[] not null default '{}';
-- Subjects, projects and lookup hashes of addresses in the response. It is removed when one of them is erased.
alter table requests.answers add column concerns text[] not null default '{}';
create index answers_by_concern on requests.answers using gin (concerns);
