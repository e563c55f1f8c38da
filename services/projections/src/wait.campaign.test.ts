import { createListener, type Listener } from '@gatebook/runtime/listener';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createIndexes } from './projection-tables.ts';
import {
  createProjectionVersion,
  listProjectionVersions,
  markReady,
  type ProjectionVersion,
} from './projection-versions.ts';
import { projectBatch } from './projector.ts';
import { announcePromotion, promoteProjectionVersion } from './promotion.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { create, createTalliesLog, liveOf, recordPeople, rename, talliesGroup } from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';
import { createReadModels, type ReadModels } from './wait.ts';

const seed = 20260121;
const group = talliesGroup('main');

let database: TestDatabase;
let pool: Pool;
let log: TestLog;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  ({ pool } = database);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await database.close();
});

/** A listener whose notifications are all lost. */
const deaf: Listener = { listen: async () => async () => undefined, close: async () => undefined };

/** A reading process. */
async function startReading(listener?: Listener, on = pool): Promise<ReadModels> {
  const listening = listener ?? createListener(database.url, { name: 'reading', logger });
  const readModels = await createReadModels({ pool: on, listener: listening, groups: [group], logger });
  closers.push(async () => {
    await readModels.close();
    await listening.close();
  });
  return readModels;
}

/** Results of a process's queries can be delayed; its notifications are not. */
function createSlowLooks() {
  let blocked = Promise.resolve();
  let letThrough = () => {};
  const query = async (...input: Parameters<typeof pool.query>) => {
    const seen = await (pool.query as (...given: unknown[]) => Promise<unknown>)(...input);
    await blocked;
    return seen;
  };
  return {
    pool: Object.assign(Object.create(pool), { query }) as Pool,
    hold: () => {
      letThrough();
      blocked = new Promise((resolve) => {
        letThrough = resolve;
      });
    },
    letThrough: () => letThrough(),
  };
}

/** Two projection versions at the head of the log; the first is live. */
async function twoProjectionVersions(): Promise<[ProjectionVersion, ProjectionVersion]> {
  const [first, second] = [await createProjectionVersion(pool, group), await createProjectionVersion(pool, group)];
  for (const projectionVersion of [first, second]) {
    await project(projectionVersion);
    await createIndexes(pool, projectionVersion);
    await markReady(pool, projectionVersion);
  }
  await promoteProjectionVersion(pool, first.id);
  return [first, second];
}

/** Applies one batch of events to a projection version. */
async function project({ id }: ProjectionVersion, limit = 1000): Promise<void> {
  const now = (await listProjectionVersions(pool, 'main')).find((projectionVersion) => projectionVersion.id === id);
  if (now) await projectBatch(pool, group, now, now.position, await log.store.readAll(now.position, limit));
}

/** Whether a new connection sees an event in the live projection version. */
async function isVisible(position: bigint): Promise<boolean> {
  const fresh = createPool(database.url, { max: 1, name: 'fresh' });
  try {
    return await hasNote(fresh, position);
  } finally {
    await fresh.end();
  }
}

/** Looks in the live projection version, or in `schema`. */
async function hasNote(on: Pool, position: bigint, schema?: string): Promise<boolean> {
  const read = schema ?? (await liveOf(on, 'main'))?.schema;
  return (await on.query(`select from ${read}.notes where position = $1`, [position])).rowCount === 1;
}

test('a process that missed a promotion does not report a position that only the former live version has reached', async () => {
  await recordPeople(log);
  const [first, second] = await twoProjectionVersions();
  const looks = createSlowLooks();
  const reading = await startReading(undefined, looks.pool);
  looks.hold();
  await promoteProjectionVersion(pool, second.id);
  const position = await rename(log, 1, 'after the promotion');
  await project(first);
  expect(await isVisible(position)).toBe(false);
  expect(await reading.reached(position, 200)).toBe('behind');
  looks.letThrough();
  await project(second);
  expect(await reading.reached(position)).toBe('reached');
  expect(await isVisible(position)).toBe(true);
});

test('a process without notifications polls the position within half a second', async () => {
  await recordPeople(log);
  const [first, second] = await twoProjectionVersions();
  const reading = await startReading(deaf);
  for (const projectionVersion of [first, second]) {
    const position = await rename(log, 1, 'without a notification');
    const waiting = reading.reached(position, 500);
    await project(projectionVersion);
    expect(await waiting).toBe(projectionVersion === first ? 'reached' : 'behind');
  }
  // The second version has an event that the first lacks, and is promoted without a notification to this process.
  const head = await log.store.head();
  expect(await promoteProjectionVersion(pool, second.id)).toBe(true);
  await project(first);
  expect(await reading.reached(head, 500)).toBe('reached');
  expect(reading.schema('main')).toBe(second.schema);
});

test('a process sees changes made during an outage of its listening connection', async () => {
  await recordPeople(log);
  const [first] = await twoProjectionVersions();
  const reading = await startReading();
  for (let n = 0; n < 3; n += 1) {
    const position = await rename(log, 1, `without a notification ${n}`);
    const waiting = reading.reached(position);
    await pool.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'reading'`);
    await project(first);
    expect(await waiting).toBe('reached');
  }
});

test('after an outage of its listening connection, a process does not trust what it knew: a crash may have taken it back', async () => {
  await recordPeople(log);
  const [first] = await twoProjectionVersions();
  const reading = await startReading();
  await project(first);
  const head = await log.store.head();
  expect(await reading.reached(head)).toBe('reached');
  const gaps = reading.gaps();
  const setPosition = (position: bigint) =>
    pool.query('update readmodel.projection_shards set position = $1 where version_id = $2', [position, first.id]);
  await setPosition(head - 1n);
  await pool.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'reading'`);
  await expect.poll(reading.gaps).toBeGreaterThan(gaps);
  expect(await reading.reached(head, 300)).toBe('behind');
  await setPosition(head);
  expect(await reading.reached(head)).toBe('reached');
});

type World = {
  projectionVersions: [ProjectionVersion, ProjectionVersion];
  readers: ReadModels[];
  /** Of the last reader. */
  looks: ReturnType<typeof createSlowLooks>;
  reached: bigint[];
};
/** Steps run in order; their notifications arrive at any time. */
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }).map((count) => ({ kind: 'append' as const, count })) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('project' as const),
      which: fc.constantFrom(0 as const, 1 as const),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 3,
    // Promote the version that is not live. If it lags, nothing happens.
    arbitrary: fc.record({ kind: fc.constant('switch' as const), isLevel: fc.nat(3).map((n) => n > 0) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('announce' as const), which: fc.constantFrom(0 as const, 1 as const) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'cut' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'hear' as const }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

async function happen(world: World, next: Happening): Promise<void> {
  const { projectionVersions } = world;
  if (next.kind === 'append') for (let n = 0; n < next.count; n += 1) await rename(log, 1, `name ${n}`);
  else if (next.kind === 'project') await project(projectionVersions[next.which], next.limit);
  else if (next.kind === 'switch') {
    const live = (await liveOf(pool, 'main'))?.id;
    const other = projectionVersions[0].id === live ? projectionVersions[1] : projectionVersions[0];
    if (next.isLevel) await project(other);
    await promoteProjectionVersion(pool, other.id);
  } else if (next.kind === 'announce') await announcePromotion(pool, projectionVersions[next.which]);
  else if (next.kind === 'cut') {
    await pool.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'reading'`);
  } else {
    world.looks.hold();
    await world.readers[0]?.reached((await liveOf(pool, 'main'))?.position ?? null, 50);
  }
}

/** A position that a process reports as reached can be read by every process from then on. */
async function expectReadable(world: World): Promise<void> {
  const head = await log.store.head();
  for (const reader of world.readers) {
    const furthest = await furthestReached(reader, head);
    if (furthest === 0n) continue;
    world.reached.push(furthest);
    expect(await hasNote(pool, furthest, reader.schema('main'))).toBe(true);
  }
  const furthest = world.reached.reduce((one, other) => (one > other ? one : other), 0n);
  if (furthest > 0n) expect(await hasNote(pool, furthest)).toBe(true);
}

/** Uses bisection, because every position below a reached one is reached too. */
async function furthestReached(reader: ReadModels, head: bigint): Promise<bigint> {
  let [low, high] = [0n, head];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if ((await reader.reached(middle, 0)) === 'reached') low = middle;
    else high = middle - 1n;
  }
  return low;
}

const numRuns = sized({ inTest: 5, inCampaign: 40 });

test(`a reached position is visible to a new connection through any promotions and rollbacks (seed ${seed})`, async () => {
  let switches = 0;
  let reached = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 10, maxLength: 40 }), async (happenings) => {
      await pool.query('delete from readmodel.projection_versions');
      log = await createTalliesLog();
      await create(log, 1);
      const projectionVersions = await twoProjectionVersions();
      const looks = createSlowLooks();
      const readers = [await startReading(), await startReading(deaf), await startReading(undefined, looks.pool)];
      looks.hold();
      const world: World = { projectionVersions, readers, looks, reached: [] };
      let schema = '';
      for (const next of happenings) {
        await happen(world, next);
        await expectReadable(world);
        const now = (await liveOf(pool, 'main'))?.schema ?? '';
        if (schema !== '' && now !== schema) switches += 1;
        schema = now;
      }
      reached += new Set(world.reached).size;
      if (world.reached.length > 0) expect(await isVisible(world.reached.at(-1) ?? 0n)).toBe(true);
      looks.letThrough();
      for (const close of closers.splice(0).reverse()) await close();
    }),
    { seed, numRuns },
  );
  expect(switches).toBeGreaterThan(numRuns);
  expect(reached).toBeGreaterThan(numRuns);
});
