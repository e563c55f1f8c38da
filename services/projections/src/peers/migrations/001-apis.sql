-- The API processes that keep projects in memory. Each says again and again that it lives, and how far it has followed the log.
-- A crash empties the table, and who is still there says so within a second.
create unlogged table peers.apis (
  id uuid primary key,
  followed bigint not null,
  said_at timestamptz not null
);
