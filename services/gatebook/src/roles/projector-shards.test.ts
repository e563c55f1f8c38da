import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { projectionsTemplate } from '@gatebook/projections/testing/projections-template';
import { create, createTalliesLog, recordPeople, rename, talliesGroup } from '@gatebook/projections/testing/tallies';
import { silentLogger as logger, type TestLog } from '@gatebook/projections/testing/test-log';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { createPool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { countFault } from '@gatebook/runtime/testing/injected-faults';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProjector } from './projector.ts';

const shards = 3;
const group = talliesGroup('main', 1, shards);

let database: TestDatabase;
let log: TestLog;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  await recordPeople(log);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await database.close();
});

function startProcess(): { stop(): Promise<void> } {
  const pool = createPool(database.url, { max: 8, name: 'projector' });
  const projector = startProjector({ group, store: log.store, pool, databaseUrl: database.url, logger });
  let ended: Promise<void> | undefined;
  const stop = () => {
    ended ??= projector.stop().then(() => pool.end());
    return ended;
  };
  closers.push(stop);
  return { stop };
}

/** Backends that hold shards, with their numbers. */
async function holders(): Promise<Map<number, number[]>> {
  const { rows } = await database.pool.query<{ pid: number; shard: number }>(
    `select pid, objid::integer as shard from pg_locks where locktype = 'advisory' and granted and objsubid = 2
       and database = (select oid from pg_database where datname = current_database()) order by shard`,
  );
  const byPid = new Map<number, number[]>();
  for (const { pid, shard } of rows) byPid.set(pid, [...(byPid.get(pid) ?? []), shard]);
  return byPid;
}

const shares = async () => [...(await holders()).values()].map(({ length }) => length).toSorted();
const position = async () =>
  (await listProjectionVersions(database.pool, 'main')).find(({ status }) => status === 'live')?.position;
const atHead = async () => expect.poll(position, { interval: 20 }).toBe(await log.store.head());

async function expectConsistent(): Promise<void> {
  await atHead();
  expect(isConsistent(await compareWithRebuild(database.pool, log.store, group))).toBe(true);
  expect((await listProjectionVersions(database.pool, 'main')).map(({ stopped }) => stopped)).toEqual([null]);
}

test('several processes share the shards, and take over those of a process that ends', async () => {
  const first = startProcess();
  await atHead();
  await expect.poll(shares).toEqual([3]);
  startProcess();
  await expect.poll(shares).toEqual([1, 2]);
  for (let n = 1; n <= 9; n += 1) await create(log, 10 + n);
  await atHead();
  await first.stop();
  await expect.poll(shares).toEqual([3]);
  for (let n = 1; n <= 9; n += 1) await rename(log, 10 + n, 'by the second');
  await expectConsistent();
});

test('shards change hands under writes, and no event is lost or applied twice', async () => {
  startProcess();
  startProcess();
  await expect.poll(shares).toEqual([1, 2]);
  for (let turn = 0; turn < 3; turn += 1) {
    const [pid] = [...(await holders()).keys()];
    countFault();
    const broken = database.pool.query('select pg_terminate_backend($1, 5000)', [pid]);
    for (let n = 1; n <= 20; n += 1) await create(log, 100 * (turn + 1) + n);
    await broken;
    await atHead();
    await expect.poll(shares).toEqual([1, 2]);
  }
  await expectConsistent();
});
