import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { EventStore } from '@gatebook/eventlog/port';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { createIndexes } from '@gatebook/projections/projection-tables';
import { createProjectionVersion, markReady } from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import { promoteProjectionVersion } from '@gatebook/projections/promotion';
import { allGroups, mainGroup, pastGroup } from '@gatebook/readmodel/projection-groups';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { type Product, startProduct } from '../testing/product.ts';
import { settle } from './compare.ts';
import { findPostmaster } from './cpu.ts';
import { writeHistory } from './history-log.ts';
import { type Origin, originOf } from './load.ts';
import { openBenchLog } from './open-log.ts';

const batch = 10_000;
/** Of the rates of main and past: so much of the log is projected into one group at a time. */
const measuredPart = 0.1;

type Log = Awaited<ReturnType<typeof openBenchLog>>;
export type BuiltGroup = { schema: string; perSecond: number; megabytes: number };
export type Server = { origin: Origin; pid: number; postmaster: number };
/** A log of ten events per user, with all read models. */
export type HistoryWorld = {
  databaseUrl: string;
  /** Connections of the database's owner. */
  pool: Pool;
  users: number;
  events: number;
  /** The last position of the log. */
  position: bigint;
  main: BuiltGroup;
  past: BuiltGroup;
  /** Runs `use` beside the product in a new process, with rate limits. Every address may be a proxy. */
  withServer<T>(use: (server: Server) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** `writeMore`: what else the log has. */
export async function createHistoryWorld(
  databaseUrl: string,
  users: number,
  writeMore?: (store: EventStore) => Promise<void>,
): Promise<HistoryWorld> {
  const masterKey = randomBytes(32);
  const pool = createPool(databaseUrl, { max: 8, name: 'bench of histories', isForLongWork: true });
  const dataDir = await makePassableFolder('gatebook-bench-');
  const close = async () => {
    await pool.end();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const log = await openBenchLog(databaseUrl, masterKey);
    let built: Awaited<ReturnType<typeof buildAll>>;
    try {
      await writeHistory(log.store, users);
      await writeMore?.(log.store);
      built = await buildAll(log);
    } finally {
      await log.close();
    }
    await pool.query('vacuum analyze');
    await pool.query('checkpoint');
    const start = () =>
      startProduct({
        GATEBOOK_DATA_DIR: dataDir,
        GATEBOOK_DATABASE_URL: databaseUrl,
        GATEBOOK_MASTER_KEY: masterKey.toString('base64'),
        GATEBOOK_TRUSTED_PROXIES: '127.0.0.1,::1',
        GATEBOOK_LOG_LEVEL: 'error',
      });
    return {
      ...{ databaseUrl, pool, users, ...built, close },
      withServer: async (use) => {
        const product = await start();
        try {
          return await use(await untilIdle(product, pool));
        } finally {
          await product.stop();
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Nothing that a start leaves to be done disturbs what is measured. */
export async function untilIdle({ child, url }: Product, pool: Pool): Promise<Server> {
  if (child.pid === undefined) throw new Error('the process did not start');
  const server = { origin: originOf(`${url}/api/v1`), pid: child.pid, postmaster: await findPostmaster(pool) };
  while ((await settle(server)).busyMs > 500);
  return server;
}

/** Reads the log once for all groups. */
async function buildAll({ pool, store }: Log) {
  const groups = [...allGroups, pastGroup];
  const builds = await Promise.all(groups.map((group) => startBuild(pool, group)));
  const of = (name: string) => {
    const found = builds.find(({ group }) => group.name === name);
    if (!found) throw new Error(`${name} was not built`);
    return found;
  };
  const head = await store.head();
  const measured = BigInt(Math.ceil(Number(head) * measuredPart));
  let position = 0n;
  for (let page = store.readAll(position, batch); position < head; ) {
    const events = await page;
    const isMeasured = position < measured;
    position = events.at(-1)?.position ?? head;
    page = store.readAll(position, batch);
    const applied = builds.map((build) => () => build.apply(events));
    if (isMeasured) for (const apply of applied) await apply();
    else await Promise.all(applied.map((apply) => apply()));
    if (isMeasured) for (const build of builds) build.measure();
  }
  for (const build of builds) await build.promote();
  const [main, past] = [await of(mainGroup.name).describe(), await of(pastGroup.name).describe()];
  return { main, past, position, events: Number(position) };
}

async function startBuild(pool: Pool, group: ProjectionGroup) {
  const version = await createProjectionVersion(pool, group);
  let position = 0n;
  let ms = 0;
  let perSecond = Number.NaN;
  return {
    group,
    apply: async (events: Parameters<typeof projectBatch>[4]) => {
      const start = performance.now();
      ({ position } = await projectBatch(pool, group, { ...version, tables: group.tables }, position, events));
      ms += performance.now() - start;
    },
    /** The rate up to here. */
    measure: () => {
      perSecond = (Number(position) * 1000) / ms;
    },
    promote: async () => {
      await createIndexes(pool, version);
      await markReady(pool, version);
      await promoteProjectionVersion(pool, version.id);
    },
    describe: async (): Promise<BuiltGroup> => {
      const { rows } = await pool.query<{ bytes: string }>(
        `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and c.relkind = 'r'`,
        [version.schema],
      );
      return { schema: version.schema, perSecond, megabytes: Number(rows[0]?.bytes ?? 0) / 1_000_000 };
    },
  };
}
