-- This function is the only way to append. It runs with the privileges of its owner, so no other role can insert a row
-- into the log. services/eventlog/src/postgres/privileges.ts lists the roles that can call it.
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
