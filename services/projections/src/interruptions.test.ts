import type { EventStore } from '@gatebook/eventlog/port';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions } from './projection-versions.ts';
import { listQuarantined } from './quarantine/quarantine.ts';
import { runProjector } from './run-projector.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { runUntilEnded } from './testing/run-until-ended.ts';
import { cleanPass, createTalliesLog, recordPeople, rename, rowsIn, talliesGroup } from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';

let database: TestDatabase;
let log: TestLog;
const ends: (() => Promise<void>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  await recordPeople(log);
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await database.close();
});

const group = talliesGroup('main');

function startProjecting(store: EventStore, projected: ProjectionGroup = group): () => Promise<void> {
  const end = runUntilEnded((signal) => runProjector({ store, pool: database.pool, group: projected, logger }, signal));
  ends.push(end);
  return end;
}

const projectionVersion = async () => (await listProjectionVersions(database.pool, 'main'))[0];
const position = async () => (await projectionVersion())?.position;
const stopped = async () => (await projectionVersion())?.stopped;

async function expectCleanRows(): Promise<void> {
  await expect.poll(position, { interval: 20 }).toBe(await log.store.head());
  expect(await stopped()).toBeNull();
  expect(await listQuarantined(database.pool)).toEqual([]);
  const rows = await rowsIn(database.pool, group, (await projectionVersion())?.schema ?? '');
  expect(rows).toEqual(await cleanPass(database.pool, log, group));
}

/** A log of which each nth call fails as one that is away does: with the reason as its cause. */
function awayNowAndThen(store: EventStore, fails: (call: number) => boolean): EventStore & { failures: () => number } {
  let calls = 0;
  let failures = 0;
  const failNowAndThen = () => {
    calls += 1;
    if (!fails(calls)) return;
    failures += 1;
    throw new Error('the log is away', { cause: new Error('14 UNAVAILABLE') });
  };
  return {
    ...store,
    readAll: async (after, limit) => {
      failNowAndThen();
      return store.readAll(after, limit);
    },
    subscribe: async function* (after, signal) {
      failNowAndThen();
      for await (const batch of store.subscribe(after, signal)) {
        yield batch;
        failNowAndThen();
      }
    },
    failures: () => failures,
  };
}

test('a log that becomes unavailable interrupts a projection version and does not stop it', async () => {
  const store = awayNowAndThen(log.store, (call) => [1, 3, 7, 8].includes(call));
  startProjecting(store);
  await expectCleanRows();
  for (let n = 1; store.failures() < 4; n += 1) {
    await rename(log, 1, `while the log comes and goes ${n}`);
    await expectCleanRows();
  }
});

test('a projector that cannot apply an event quarantines nothing in a version that another projector moved past it', async () => {
  const [early, late] = [talliesGroup('main'), talliesGroup('main')];
  let release = () => {};
  const isStandby = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHolding = false;
  // The first projector has read the event when the second one, with repaired code, applies it.
  const holding: EventStore = {
    ...log.store,
    readAll: async (after, limit) => {
      const events = await log.store.readAll(after, limit);
      isHolding = true;
      await isStandby;
      return events;
    },
  };
  const reject = () => {
    throw new Error('this code is too old');
  };
  const endLate = startProjecting(holding, { ...late, changesFor: reject });
  await expect.poll(() => isHolding).toBe(true);
  startProjecting(log.store, early);
  await expectCleanRows();
  release();
  await endLate();
  await expectCleanRows();
});
