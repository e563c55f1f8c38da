import type { Recorded } from '@gatebook/domain/event';
import type { Simulator } from '@gatebook/eventlog/eventstoredb/simulator';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askForRebuild, promoteStandby } from './operations/rebuilds.ts';
import { listProjectionVersions } from './projection-versions.ts';
import { runProjector } from './run-projector.ts';
import { runReactor } from './subscriptions/reactor.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import {
  cleanPass,
  create,
  createTalliesLog,
  liveOf,
  personId,
  personStream,
  recordPeople,
  rename,
  rowsIn,
  talliesGroup,
} from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';

/** The log is in the EventStoreDB simulator: its positions have gaps, and it can be down while the database is up. */
let database: TestDatabase;
let log: TestLog & { close(): Promise<void> };
let simulator: Simulator;
const ends: (() => Promise<void>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog('eventstoredb')]);
  if (!log.simulator) throw new Error('the log is not distant');
  ({ simulator } = log);
  await recordPeople(log);
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await log.close();
  await database.close();
});

const group = talliesGroup('main');

/** What runs until the test ends. */
function keepRunning(run: (signal: AbortSignal) => Promise<void>): void {
  const stop = new AbortController();
  const ended = run(stop.signal);
  ends.push(async () => {
    stop.abort();
    await ended;
  });
}
const startProjecting = () =>
  keepRunning((signal) => runProjector({ store: log.store, pool: database.pool, group, logger }, signal));

const live = () => liveOf(database.pool, 'main');

async function expectCleanRows(): Promise<void> {
  const head = await log.store.head();
  await expect.poll(async () => (await live())?.position, { interval: 20 }).toBe(head);
  for (const { schema, stopped } of await listProjectionVersions(database.pool, 'main')) {
    expect(stopped).toBeNull();
    const expected = await cleanPass(database.pool, log, group);
    await expect.poll(() => rowsIn(database.pool, group, schema)).toEqual(expected);
  }
}

test('events of a log whose connections keep breaking are projected exactly once', async () => {
  startProjecting();
  for (let n = 0; n < 12; n += 1) {
    const appending = rename(log, 1 + (n % 5), `name ${n}`);
    simulator.dropConnections();
    await appending;
    if (n % 4 === 3) await expectCleanRows();
  }
  await expectCleanRows();
});

test('a log that is unavailable at the start, while following and during a rebuild stops no projection', async () => {
  await simulator.goAway();
  startProjecting();
  await expect.poll(async () => (await listProjectionVersions(database.pool, 'main')).length).toBe(1);
  await simulator.comeBack();
  await expectCleanRows();

  await simulator.goAway();
  const appending = create(log, 6);
  await simulator.comeBack();
  await appending;
  await expectCleanRows();

  await simulator.goAway();
  const { projectionVersion } = await askForRebuild(database.pool, group);
  await simulator.comeBack();
  const isReady = async () => (await listProjectionVersions(database.pool, 'main')).at(-1)?.isReady;
  await expect.poll(isReady).toBe(true);
  // A switch needs no log.
  await simulator.goAway();
  await promoteStandby(database.pool, group, projectionVersion.id);
  expect((await live())?.id).toBe(projectionVersion.id);
  await simulator.comeBack();
  await rename(log, 6, 'after the promotion');
  await expectCleanRows();
});

test('the prefix that a broken append leaves is projected', async () => {
  startProjecting();
  await expectCleanRows();
  const { events } = await log.store.readStream(personStream(1));
  const [made, metadata] = [events[0], events[0]?.metadata];
  if (!made || !metadata) throw new Error('nobody is there');
  const writes = [7, 8, 9].map((n) => ({
    stream: personStream(n),
    expected: -1n,
    events: [{ type: made.type, data: { ...made.data, personId: personId(n) } }],
  }));
  simulator.rejectAppendsTo(personStream(8));
  await expect(log.store.append(writes, metadata)).rejects.toThrow();
  simulator.rejectAppendsTo(null);
  await expectCleanRows();
  const people = await rowsIn(database.pool, group, (await live())?.schema ?? '');
  expect([7, 8, 9].map((n) => people.people?.some((row) => row.includes(personId(n))))).toEqual([true, false, false]);
});

test('a reactor resumes from its checkpoint in a log with gaps between positions', async () => {
  const all = (await log.store.readAll(0n, 100)).map(({ position }) => position);
  const faulty = all[12];
  const acted: bigint[] = [];
  let tries = 0;
  const react = async ({ position }: Recorded) => {
    if (position === faulty && tries < 2) {
      tries += 1;
      simulator.dropConnections();
      throw new Error('not yet');
    }
    acted.push(position);
  };
  keepRunning((signal) => runReactor({ store: log.store, pool: database.pool, logger }, { name: 'r', react }, signal));
  await expect.poll(() => acted.length).toBe(all.length);
  expect(acted).toEqual(all);
  const position = await rename(log, 1, 'one more');
  await expect.poll(() => acted.at(-1)).toBe(position);
});
