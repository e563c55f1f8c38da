import { sampleOf } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions, migrateProjections } from './projection-versions.ts';
import type { Fault } from './testing/faulty-pool.ts';
import { startFaultyProjector } from './testing/faulty-projector.ts';
import {
  cleanPass,
  createTalliesLog,
  liveOf,
  recordPeople,
  rename,
  rowsIn,
  talliesGroup,
  wrongChecksums,
} from './testing/tallies.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

/** Each step of a projector's life: made from nothing, caught up, switched to, three batches more, each awaited. */
async function live(
  group: ProjectionGroup,
  fault: Fault | null,
): Promise<{ statements: readonly string[]; isHit: boolean }> {
  const log = await createTalliesLog();
  await recordPeople(log);
  const projector = startFaultyProjector({ databaseUrl: database.url, log, group }, fault);
  const { faulty, restartIfKilled } = projector;
  const atHead = async () => {
    await restartIfKilled();
    return (await liveOf(database.pool, group.name))?.position;
  };
  const catchUp = async () => expect.poll(atHead, { interval: 25 }).toBe(await log.store.head());
  try {
    await catchUp();
    for (const n of [1, 3, 2]) {
      await rename(log, n, 'live');
      await catchUp();
    }
    const projectionVersions = await listProjectionVersions(database.pool, group.name);
    expect(projectionVersions.map(({ status, stopped }) => ({ status, stopped }))).toEqual([
      { status: 'live', stopped: null },
    ]);
    expect(await rowsIn(database.pool, group, projectionVersions[0]?.schema ?? '')).toEqual(
      await cleanPass(database.pool, log, group),
    );
    for (const projectionVersion of projectionVersions) {
      await expect.poll(() => wrongChecksums(database.pool, projectionVersion), { interval: 25 }).toEqual([]);
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
async function liveThrough(groupName: string, shards: number, faults: readonly Fault[]): Promise<void> {
  const waiting = [...faults];
  const missed: Fault[] = [];
  const work = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const { isHit } = await live(talliesGroup(`${groupName}${shards}_${fault.moment}_${fault.at}`, 1, shards), fault);
      if (!isHit) missed.push(fault);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  expect(missed.length).toBeLessThan(Math.max(2, faults.length / 8));
}

async function everyFault(kills: Fault['kills'], shards: number): Promise<Fault[]> {
  const { statements } = await live(talliesGroup(`whole_${kills}${shards}`, 1, shards), null);
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
    await liveThrough('killed', shards, sampleOf(await everyFault('process', shards), 6));
  });

  test('a projector that loses its connection before or after any statement continues by itself', async () => {
    await liveThrough('cut', shards, sampleOf(await everyFault('connection', shards), 6));
  });
});
