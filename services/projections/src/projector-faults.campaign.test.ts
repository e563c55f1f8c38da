import { sampleOf } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions, migrateProjections } from './projection-versions.ts';
import type { Fault } from './testing/faulty-pool.ts';
import { slowPolling, startFaultyProjector } from './testing/faulty-projector.ts';
import {
  cleanPass,
  createTalliesLog,
  liveOf,
  recordPeople,
  rename,
  rowsIn,
  talliesGroup,
  trackedTallies,
  wrongChecksums,
} from './testing/tallies.ts';
import type { TestLog } from './testing/test-log.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

type Life = { statements: readonly string[]; isHit: boolean };

/** Each step of a projector's life: made from nothing, caught up, switched to, three batches more, each awaited. */
async function live(group: ProjectionGroup, fault: Fault | null): Promise<Life> {
  const log = await createTalliesLog();
  await recordPeople(log);
  return liveOn(log, group, fault);
}

/** The same for a new version of which one table is built and two are copied. */
async function liveAgain({ name, shards }: ProjectionGroup, fault: Fault | null): Promise<Life> {
  const log = await createTalliesLog();
  await recordPeople(log);
  const versions = [trackedTallies(1, {}, shards), trackedTallies(2, { totals: 2 }, shards)] as const;
  const [first, next] = versions.map((group) => ({ ...group, name }));
  if (!first || !next) throw new Error('there are two versions');
  await liveOn(log, first, null);
  return liveOn(log, next, fault);
}

/** By version: all lives record the same events, at the same positions. */
const rowsOfVersions = new Map<number, ReturnType<typeof cleanPass>>();

function expectedRows(log: TestLog, group: ProjectionGroup): ReturnType<typeof cleanPass> {
  const rows = rowsOfVersions.get(group.version) ?? cleanPass(database.pool, log, group);
  rowsOfVersions.set(group.version, rows);
  return rows;
}

async function liveOn(log: TestLog, group: ProjectionGroup, fault: Fault | null): Promise<Life> {
  const projector = startFaultyProjector({ databaseUrl: database.url, log, group }, fault);
  const { faulty, restartIfKilled } = projector;
  const atHead = async () => {
    await restartIfKilled();
    const live = await liveOf(database.pool, group.name);
    return live?.version === group.version ? live.position : null;
  };
  const catchUp = async () => expect.poll(atHead, slowPolling).toBe(await log.store.head());
  try {
    await catchUp();
    for (const n of [1, 3, 2]) {
      await rename(log, n, 'live');
      await catchUp();
    }
    const all = await listProjectionVersions(database.pool, group.name);
    const projectionVersions = all.filter(({ status }) => status !== 'previous');
    expect(projectionVersions.map(({ status, stopped }) => ({ status, stopped }))).toEqual([
      { status: 'live', stopped: null },
    ]);
    expect(await rowsIn(database.pool, group, projectionVersions[0]?.schema ?? '')).toEqual(
      await expectedRows(log, group),
    );
    for (const projectionVersion of projectionVersions) {
      await expect.poll(() => wrongChecksums(database.pool, projectionVersion), slowPolling).toEqual([]);
    }
  } finally {
    await projector.end();
  }
  // A batch is seen as soon as it is committed, which may be before the fault after that very commit.
  return { statements: faulty.statements, isHit: faulty.struck.aborted };
}

/** Some at once: most of the time they wait for each other's database. */
const atOnce = 8;

/**
 * Runs a projector once for each fault. Only the last few faults can miss, because the number of polls for projection
 * versions varies with time.
 */
async function liveThrough(
  groupName: string,
  shards: number,
  faults: readonly Fault[],
  lifeOf: typeof live = live,
): Promise<void> {
  const waiting = [...faults];
  const missed: Fault[] = [];
  const work = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const { isHit } = await lifeOf(
        talliesGroup(`${groupName}${shards}_${fault.moment}_${fault.at}`, 1, shards),
        fault,
      );
      if (!isHit) missed.push(fault);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  expect(missed.length).toBeLessThan(Math.max(2, faults.length / 8));
}

async function everyFault(kills: Fault['kills'], shards: number, lifeOf: typeof live = live): Promise<Fault[]> {
  const { statements } = await lifeOf(talliesGroup(`whole_${lifeOf.name}_${kills}${shards}`, 1, shards), null);
  // Creation of three tables and their indexes, the promotion, and four batches.
  expect(statements.length).toBeGreaterThan(50);
  const before = statements.map((_, index): Fault => ({ at: index + 1, moment: 'before', kills }));
  return [...before, ...before.filter(({ at }) => endsSomething(statements, at)).map(afterwards)];
}

const afterwards = (fault: Fault): Fault => ({ ...fault, moment: 'after' });

/** Inside a transaction, after one statement is before the next. */
function endsSomething(statements: readonly string[], at: number): boolean {
  const past = statements.slice(0, at);
  const begun = past.findLastIndex((statement) => statement.startsWith('begin'));
  return past.at(-1) === 'commit' || past.lastIndexOf('commit') >= begun;
}

describe.each([1, 3])('with %i shards', (shards) => {
  test('the next projector reaches the same rows after one that is killed before or after any statement', async () => {
    await liveThrough('killed', shards, sampleOf(await everyFault('process', shards), 3, 100));
  });

  test('a projector that loses its connection before or after any statement continues by itself', async () => {
    await liveThrough('cut', shards, sampleOf(await everyFault('connection', shards), 3, 100));
  });

  test.each(['process', 'connection'] as const)(
    'a new version that copies tables has the right rows after the %s broke at any statement',
    async (kills) => {
      // Not every one, because each builds two versions.
      const faults = sampleOf(await everyFault(kills, shards, liveAgain), 3, 60);
      await liveThrough(`copying_${kills}`, shards, faults, liveAgain);
    },
  );
});
