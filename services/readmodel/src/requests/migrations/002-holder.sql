-- Id of the request that works on the answer, or gave it: one that was given up for dead has no say any more.
alter table requests.answers add column holder text not null default '';
