import {
  applyPrivileges,
  createRoles,
  type DatabaseRole,
  type Privileges,
  roleNames,
  urlsAs,
} from '@gatebook/runtime/database-roles';
import { createListener, type Listener } from '@gatebook/runtime/listener';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { migratePeers } from '../peers/peers.ts';
import { projectionPrivileges } from '../privileges.ts';
import type { ProjectionGroup } from '../projection-group.ts';
import { migrateProjections } from '../projection-versions.ts';
import { runProjector } from '../run-projector.ts';
import { createReadModels, type ReadModels } from '../wait.ts';
import { silentLogger as logger, type TestLog } from './test-log.ts';

export type ProjectedLog = TestLog & {
  database: TestDatabase;
  listener: Listener;
  readModels: ReadModels;
  /** Connections with the roles of production; the pool of `database` has every privilege. */
  pools: Readonly<Record<DatabaseRole, Pool>>;
  close(): Promise<void>;
};

/** Projects a log into an empty database. `migrate` and `privileges` are for tables other than the engine's. */
export async function startProjectedLog(parts: {
  openLog: () => Promise<TestLog>;
  groups: readonly ProjectionGroup[];
  migrate?: (pool: Pool) => Promise<void>;
  privileges?: readonly Privileges[];
}): Promise<ProjectedLog> {
  const { openLog, groups, migrate, privileges = [] } = parts;
  const [database, log] = await Promise.all([testDatabase(), openLog()]);
  await Promise.all([migrateProjections(database.pool), migratePeers(database.pool), migrate?.(database.pool)]);
  const pools = await openRoles(database, [...projectionPrivileges, ...privileges]);
  const listener = createListener(database.url, { name: 'test-listener', logger });
  const stop = new AbortController();
  const projectors = groups.map((group) =>
    runProjector({ store: log.store, pool: pools.projector, group, logger }, stop.signal),
  );
  const readModels = await createReadModels({ pool: pools.api, listener, groups, logger });
  await readModels.ready();
  return {
    ...log,
    database,
    listener,
    readModels,
    pools,
    close: async () => {
      stop.abort();
      await Promise.all(projectors);
      await readModels.close();
      await listener.close();
      await log.close();
      await Promise.all(Object.values(pools).map((each) => each.end()));
      await database.close();
    },
  };
}

async function openRoles(
  { pool, url }: TestDatabase,
  privileges: readonly Privileges[],
): Promise<ProjectedLog['pools']> {
  const names = roleNames('gatebook');
  await createRoles(pool, names);
  await applyPrivileges(pool, names, privileges);
  const urls = urlsAs(url, names);
  const open = (role: DatabaseRole) => createPool(urls[role], { max: 10, name: `test ${role}` });
  return { api: open('api'), projector: open('projector'), worker: open('worker') };
}
