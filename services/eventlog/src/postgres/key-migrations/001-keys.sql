-- Subject keys, wrapped by the master key, which is stored elsewhere. An erased subject keeps its row without a key, so
-- that it can never get a new key.
create table keys.subjects (
  subject_id text primary key,
  wrapped text,
  created_at timestamptz not null default now(),
  erased_at timestamptz,
  check ((wrapped is null) = (erased_at is not null))
);

create table keys.signing (
  kid text primary key,
  -- The order in which keys were added, independent of clocks.
  number bigint generated always as identity,
  project_id text not null,
  wrapped text not null,
  public_jwk jsonb not null,
  created_at timestamptz not null
);
create index signing_of_project on keys.signing (project_id, number desc);
