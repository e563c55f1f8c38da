import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { EventStore } from '@gatebook/eventlog/port';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { type Product, startProduct } from '../testing/product.ts';
import { type BuiltGroup, buildReadModels } from './build-read-models.ts';
import { settle } from './compare.ts';
import { findPostmaster } from './cpu.ts';
import { writeHistory } from './history-log.ts';
import { type Origin, originOf } from './load.ts';
import { openBenchLog } from './open-log.ts';

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
    let built: Awaited<ReturnType<typeof buildReadModels>>;
    try {
      await writeHistory(log.store, users);
      await writeMore?.(log.store);
      built = await buildReadModels(log);
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
