import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { createGatedPool } from '@gatebook/projections/testing/gated-pool';
import { projectionsTemplate } from '@gatebook/projections/testing/projections-template';
import { create, createTalliesLog, recordPeople, rename, talliesGroup } from '@gatebook/projections/testing/tallies';
import { silentLogger as logger, type TestLog } from '@gatebook/projections/testing/test-log';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { createPool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProjector } from './projector.ts';

const mainGroup = talliesGroup('main');

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

/** A process that projects when it leads. Its statements can be held up. */
function startProcess() {
  const pool = createPool(database.url, { max: 4, name: 'projector' });
  const gated = createGatedPool(pool);
  const projector = startProjector({
    group: mainGroup,
    store: log.store,
    pool: gated.pool,
    databaseUrl: database.url,
    logger,
  });
  closers.push(async () => {
    gated.open();
    await projector.stop();
    await pool.end();
  });
  return gated;
}

const position = async () =>
  (await listProjectionVersions(database.pool, 'main')).find(({ status }) => status === 'live')?.position;
const atHead = async () => expect.poll(position, { interval: 20 }).toBe(await log.store.head());

/** The backend that holds the leader's lock. */
async function leader(): Promise<number | null> {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select l.pid from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and a.application_name = 'leader projector' and a.datname = current_database()`,
  );
  return rows[0]?.pid ?? null;
}

/** The leader loses its lock, and knows it, before another has it. */
async function dethrone(): Promise<void> {
  const before = await leader();
  await database.pool.query('select pg_terminate_backend($1, 5000)', [before]);
  await expect.poll(async () => [null, before].includes(await leader()), { interval: 50 }).toBe(false);
}

const blocked = async () => {
  const { rows } = await database.pool.query<{ count: string }>(
    `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and query like '%update readmodel.projection_shards%'`,
  );
  return Number(rows[0]?.count);
};

test.each([
  ['before it reads', /^begin/, 'passes'],
  ['before it moves the checkpoint', /set position/, 'passes'],
  ['after it has moved the checkpoint', /insert into \S+\.people/, 'waits'],
  ['before it commits', /^commit/, 'waits'],
] as const)(
  'a leader that loses its lock %s completes its batch or the next leader does, with equal rows',
  async (_, statement, next) => {
    const first = startProcess();
    await atHead();
    const second = startProcess();
    first.close(statement);
    await create(log, 11);
    await expect.poll(first.isHolding).toBe(true);
    await dethrone();
    // The next one has the lock, and the batch of the old one is still under way.
    if (next === 'passes') await atHead();
    else await expect.poll(blocked).toBe(1);
    first.open();
    await atHead();
    await rename(log, 11, 'by the next');
    await atHead();
    // The other way round: the one that lost it takes it over again.
    second.close(statement);
    await create(log, 12);
    await expect.poll(second.isHolding).toBe(true);
    await dethrone();
    second.open();
    await rename(log, 12, 'by the first');
    await atHead();
    expect(isConsistent(await compareWithRebuild(database.pool, log.store, mainGroup))).toBe(true);
    expect((await listProjectionVersions(database.pool, 'main')).map(({ stopped }) => stopped)).toEqual([null]);
  },
);

test('a leader that freezes in the middle of a batch blocks the next one for seconds, not forever', async () => {
  const first = startProcess();
  await atHead();
  startProcess();
  first.close(/^commit/);
  await create(log, 11);
  await expect.poll(first.isHolding).toBe(true);
  await dethrone();
  await expect.poll(blocked).toBe(1);
  await atHead();
  expect(first.isHolding()).toBe(true);
  first.open();
  await rename(log, 11, 'by the next');
  await atHead();
  expect(isConsistent(await compareWithRebuild(database.pool, log.store, mainGroup))).toBe(true);
});
