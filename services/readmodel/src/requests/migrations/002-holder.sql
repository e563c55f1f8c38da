-- ID of the request that holds the reservation. A request that was considered dead has lost it and can't write the
-- record.
alter table requests.answers add column holder text not null default '';
