import type { Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askForRebuild, promoteStandby, rollBack } from './operations/rebuilds.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions } from './projection-versions.ts';
import { promoteProjectionVersion } from './promotion.ts';
import { runProjector } from './run-projector.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { runUntilEnded } from './testing/run-until-ended.ts';
import {
  buildVersion,
  cleanPass,
  createTalliesLog,
  liveOf,
  recordPeople,
  rename,
  rowsIn,
  talliesGroup,
} from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';

let database: TestDatabase;
let pool: Pool;
let log: TestLog;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  ({ pool } = database);
  await recordPeople(log);
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await database.close();
});

const group = talliesGroup('main');

function startProjecting(projected: ProjectionGroup = group, store = log.store): () => Promise<void> {
  const end = runUntilEnded((signal) => runProjector({ store, pool, group: projected, logger }, signal));
  closers.push(end);
  return end;
}

const live = async () => (await liveOf(pool, 'main'))?.id;

test('a projector catches up with a log in which every read finds more events', async () => {
  const store: TestLog['store'] = {
    ...log.store,
    readAll: async (...from) => {
      const events = await log.store.readAll(...from);
      await rename(log, 1, 'one more');
      return events;
    },
  };
  startProjecting(group, store);
  await expect.poll(live).toBeDefined();
  await expect.poll(async () => (await liveOf(pool, 'main'))?.position, { interval: 10 }).toBe(await log.store.head());
});

describe('while the log never rests', () => {
  let written: number;
  let stopWriting: () => Promise<void>;
  beforeEach(() => {
    written = 0;
    let isWriting = true;
    const write = async () => {
      while (isWriting) {
        written += 1;
        await rename(log, 1, `name ${written}`);
        await new Promise((resume) => setImmediate(resume));
      }
    };
    const writing = write();
    stopWriting = async () => {
      isWriting = false;
      await writing;
    };
  });
  afterEach(() => stopWriting());

  async function expectSameRows(): Promise<void> {
    await stopWriting();
    expect(written).toBeGreaterThan(100);
    const head = await log.store.head();
    const positions = async () => (await listProjectionVersions(pool, 'main')).map(({ position }) => position);
    await expect.poll(positions).toEqual([head, head]);
    for (const { version, schema } of await listProjectionVersions(pool, 'main')) {
      expect(await rowsIn(pool, group, schema)).toEqual(await cleanPass(pool, log, talliesGroup('main', version)));
    }
  }

  test('a promotion and a rollback succeed', async () => {
    startProjecting();
    await expect.poll(live).toBeDefined();
    const { projectionVersion } = await askForRebuild(pool, group);
    const isReady = async () => (await listProjectionVersions(pool, 'main')).at(-1)?.isReady;
    await expect.poll(isReady).toBe(true);
    // Either gives up after 20 seconds.
    await promoteStandby(pool, group, projectionVersion.id);
    await rollBack(pool, group);
    await expectSameRows();
  });

  test('the next version is promoted', async () => {
    const first = await buildVersion(pool, log, group);
    await promoteProjectionVersion(pool, first.id);
    const end = startProjecting();
    startProjecting(talliesGroup('main', 2));
    await expect.poll(async () => (await liveOf(pool, 'main'))?.version).toBe(2);
    await end();
    await expectSameRows();
  });
});
