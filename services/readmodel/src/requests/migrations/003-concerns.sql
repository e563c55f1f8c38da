-- Whose keys the answer is encrypted under, beside the key of all answers: it can't be opened any more once one of them is erased.
alter table requests.answers add column subjects text[] not null default '{}';
-- Subjects, projects and keyed hashes of addresses that the answer speaks of: with them it is removed.
alter table requests.answers add column concerns text[] not null default '{}';
create index answers_by_concern on requests.answers using gin (concerns);
