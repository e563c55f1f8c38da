import { handOver, type Privileges, type RoleNames } from '@gatebook/runtime/database-roles';
import { escapeIdentifier, type Pool } from '@gatebook/runtime/postgres';

const everything = 'select, insert, update, delete';

/** Read models are written by the projector alone; the API asks it for what operators want done (`readmodel.operations`). */
export const readModelPrivileges: readonly Privileges[] = [
  {
    schema: 'readmodel',
    tables: {
      generations: { api: 'select', projector: everything, worker: 'select' },
      followers: { api: 'select', projector: 'select', worker: 'select, insert, update' },
      checksums: { projector: everything },
      proofs: { api: 'select', projector: 'select, insert, delete', worker: 'select' },
      leftovers: { projector: 'select, insert, delete' },
      operations: { api: 'select, insert, delete', projector: 'select, update, delete' },
    },
    further: ofGenerations,
  },
  {
    schema: 'activity',
    tables: {
      sessions: { api: 'select, insert, update', worker: 'select, delete' },
      users: { api: 'select, insert, update', worker: 'select, delete' },
      days: { api: 'select, insert', worker: 'select, delete' },
      api_keys: { api: 'select, insert, update', worker: 'select, delete' },
    },
  },
  { schema: 'requests', tables: { answers: { api: everything, worker: 'select, delete' } } },
  { schema: 'fellows', tables: { apis: { api: everything } } },
];

/** The projector makes a schema for each generation, and owns it. */
function ofGenerations({ api, projector, worker }: RoleNames): string[] {
  const owner = escapeIdentifier(projector);
  const readers = [api, worker].map(escapeIdentifier).join(', ');
  return [
    `do $$ begin execute format('grant create on database %I to %I', current_database(), '${projector}'); end $$`,
    `alter default privileges for role ${owner} grant usage on schemas to ${readers}`,
    `alter default privileges for role ${owner} grant select on tables to ${readers}`,
  ];
}

/** Gives the projector the generations that were made before there were roles. */
export async function handOverGenerations(pool: Pool, names: RoleNames): Promise<void> {
  const readers = [names.api, names.worker].map(escapeIdentifier).join(', ');
  const { rows } = await pool.query<{ schema: string }>(
    `select n.nspname as schema from pg_namespace n
     where n.nspname in (select schema_name from readmodel.generations union select schema_name from readmodel.leftovers)
       and n.nspowner <> $1::regrole`,
    [escapeIdentifier(names.projector)],
  );
  for (const { schema } of rows) {
    await pool.query(
      `${handOver(schema, names.projector)};
       grant usage on schema ${schema} to ${readers};
       grant select on all tables in schema ${schema} to ${readers}`,
    );
  }
}
