-- Keys wrapped by the master key, which is kept elsewhere. An erased subject keeps its row without a key, so that it can never get one again.
create table keys.subjects (
  subject_id text primary key,
  wrapped text,
  created_at timestamptz not null default now(),
  erased_at timestamptz,
  check ((wrapped is null) = (erased_at is not null))
);

create table keys.signing (
  kid text primary key,
  project_id text not null,
  wrapped text not null,
  public_jwk jsonb not null,
  created_at timestamptz not null
);
create index signing_of_project on keys.signing (project_id, created_at desc);
