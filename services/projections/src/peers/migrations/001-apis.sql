-- The API processes that cache projects. Each announces repeatedly that it runs, and how far it has followed the log.
-- A crash empties the table; the running processes announce themselves again within a second.
create unlogged table peers.apis (
  id uuid primary key,
  followed bigint not null,
  announced_at timestamptz not null
);
