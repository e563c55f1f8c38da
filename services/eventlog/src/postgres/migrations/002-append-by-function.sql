-- Whoever may append does so by this function alone: with the rights of its owner, so that nobody else can put a row into the log by
-- hand. The roles that may call it are in services/eventlog/src/postgres/privileges.ts.
do $$
declare
  signature regprocedure;
begin
  select oid::regprocedure into strict signature from pg_proc
  where pronamespace = 'log'::regnamespace and proname = 'append';
  execute format('alter function %s security definer', signature);
  execute format('alter function %s set search_path = pg_catalog, pg_temp', signature);
  execute format('revoke execute on function %s from public', signature);
end $$;
