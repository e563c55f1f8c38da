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
import { type DatabaseTemplate, type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { startChecksums } from '../consistency/checksum.ts';
import { migratePeers } from '../peers/peers.ts';
import { projectionPrivileges } from '../privileges.ts';
import type { ProjectionGroup } from '../projection-group.ts';
import { createIndexes } from '../projection-tables.ts';
import { createProjectionVersion, markReady, migrateProjections } from '../projection-versions.ts';
import { promoteProjectionVersion } from '../promotion.ts';
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

type Parts = {
  openLog: () => Promise<TestLog>;
  groups: readonly ProjectionGroup[];
  /** For tables other than the engine's. */
  migrate?: (pool: Pool) => Promise<void>;
  privileges?: readonly Privileges[];
  /** Names what all logs with these parts and groups of the same versions start with, so that it is prepared once. */
  template?: string;
};

/** Tests often read at once what a group gathers for longer in production. */
const maxDelayMs = 10;

/** Number of shards of the group `main`, to run any test with several. */
const shards = Number(process.env.TEST_PROJECTION_SHARDS ?? 1);

/** Projects an empty log into its own database. */
export async function startProjectedLog(given: Parts): Promise<ProjectedLog> {
  const groups = given.groups.map((group) => ({
    ...group,
    ...(group.name === 'main' && { shards }),
    ...(group.delayMs !== undefined && { delayMs: Math.min(group.delayMs, maxDelayMs) }),
  }));
  const parts = { ...given, groups };
  const { openLog, privileges = [], template } = parts;
  const [database, log] = await Promise.all([
    testDatabase(template ? templateOf(parts, template) : undefined),
    openLog(),
  ]);
  if (!template) await migrateAll(database, parts);
  const pools = await openRoles(database, [...projectionPrivileges, ...privileges]);
  const listener = createListener(database.url, { name: 'test-listener', logger });
  const stop = new AbortController();
  const projectors = groups.map((group) =>
    runProjector({ store: log.store, pool: pools.projector, group, listener, logger }, stop.signal),
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
      await endAll(pools);
      await database.close();
    },
  };
}

const migrateAll = ({ pool }: TestDatabase, { migrate }: Parts) =>
  Promise.all([migrateProjections(pool), migratePeers(pool), migrate?.(pool)]);

/** A database with a live version of each group, as after the start of a projector on an empty log. */
const templateOf = (parts: Parts, name: string): DatabaseTemplate => ({
  name: [
    name,
    ...parts.groups.map(({ name: of, version, shards: n = 1 }) => `${of}${version}${n === 1 ? '' : `s${n}`}`),
  ].join('_'),
  prepare: async (database) => {
    await migrateAll(database, parts);
    const pools = await openRoles(database, [...projectionPrivileges, ...(parts.privileges ?? [])]);
    await createLiveVersions(pools.projector, parts.groups);
    await endAll(pools);
  },
});

/** Creates a live version of each group, as the start of a projector on an empty log does. */
export async function createLiveVersions(pool: Pool, groups: readonly ProjectionGroup[]): Promise<void> {
  for (const group of groups) {
    const made = await createProjectionVersion(pool, group);
    await createIndexes(pool, made);
    await startChecksums(pool, made);
    await markReady(pool, made);
    await promoteProjectionVersion(pool, made.id);
  }
}

const endAll = (pools: ProjectedLog['pools']) => Promise.all(Object.values(pools).map((pool) => pool.end()));

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
