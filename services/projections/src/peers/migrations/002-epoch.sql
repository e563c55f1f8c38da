-- The epoch of the log that `followed` is a position of.
alter table peers.apis add column epoch uuid;
