import { handOver, type Privileges, type RoleNames } from '@gatebook/runtime/database-roles';
import { escapeIdentifier, type Pool } from '@gatebook/runtime/postgres';

const everything = 'select, insert, update, delete';

/** Only the projector writes read models. The API asks it for operations through `readmodel.operations`. */
export const projectionPrivileges: readonly Privileges[] = [
  {
    schema: 'readmodel',
    tables: {
      projection_versions: { api: 'select', projector: everything, worker: 'select' },
      projection_shards: { api: 'select', projector: everything, worker: 'select' },
      quarantines: { api: 'select, update (retry_at)', projector: everything, worker: everything },
      subscriptions: { api: 'select', projector: 'select', worker: 'select, insert, update' },
      checksums: { projector: everything },
      tombstones: { api: 'select', projector: everything, worker: 'select' },
      consistency_checks: { api: 'select', projector: 'select, insert, delete', worker: 'select' },
      orphaned_schemas: { projector: 'select, insert, delete' },
      operations: { api: 'select, insert, delete', projector: 'select, update, delete' },
    },
    further: ofProjectionVersions,
  },
  { schema: 'peers', tables: { apis: { api: everything } } },
];

/** The projector creates a schema for each projection version and owns it. */
function ofProjectionVersions({ api, projector, worker }: RoleNames): string[] {
  const owner = escapeIdentifier(projector);
  const readers = [api, worker].map(escapeIdentifier).join(', ');
  return [
    `do $$ begin execute format('grant create on database %I to %I', current_database(), '${projector}'); end $$`,
    `alter default privileges for role ${owner} grant usage on schemas to ${readers}`,
    `alter default privileges for role ${owner} grant select on tables to ${readers}`,
  ];
}

/** Transfers projection versions created before roles existed to the projector. */
export async function handOverProjectionVersions(pool: Pool, names: RoleNames): Promise<void> {
  const readers = [names.api, names.worker].map(escapeIdentifier).join(', ');
  const { rows } = await pool.query<{ schema: string }>(
    `select n.nspname as schema from pg_namespace n
     where n.nspname in (select schema_name from readmodel.projection_versions union select schema_name from readmodel.orphaned_schemas)
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
