import { catalog } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import { createIndexes } from '@gatebook/projections/projection-tables';
import { createProjectionVersion, markReady, migrateProjections } from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import { promoteProjectionVersion } from '@gatebook/projections/promotion';
import { createTestLog, testMetadata } from '@gatebook/projections/testing/test-log';
import { forever } from '@gatebook/projections/versions/versioned-table';
import type { Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pastGroup } from '../projection-groups.ts';
import { rowsOfPlan } from '../testing/rows-of-plan.ts';
import { createMoments, type Moments } from './moments.ts';

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const start = Date.parse('2026-11-01T12:00:00.000Z');
/** By position, in milliseconds after `start`. The log's clock is set back before the fourth event. */
const commits = [0, 1_000, 12_000, 3_000, 4_000, 14_000];

type Past = { database: TestDatabase; moments: Moments };
/** Its clock is set back after the third event: another project's. */
const severalProjects = [
  { projectId: 'shop', ms: 0 },
  { projectId: 'internal', ms: 0 },
  { projectId: 'forum', ms: 10_000 },
  { projectId: 'shop', ms: 3_000 },
  { projectId: 'forum', ms: 5_000 },
  { projectId: 'crew', ms: 5_000 },
  { projectId: 'internal', ms: 12_000 },
];

let past: Past;
let pastOfSeveral: Past;
beforeAll(async () => {
  past = await projectPast(commits.map((ms) => ({ projectId: 'internal', ms })));
  pastOfSeveral = await projectPast(severalProjects);
});
afterAll(() => Promise.all([past.database.close(), pastOfSeveral.database.close()]));

/** The clock falls between two batches, and within one. */
async function projectPast(committed: readonly { projectId: string; ms: number }[]): Promise<Past> {
  const database = await testDatabase();
  await migrateProjections(database.pool);
  let requests = 0;
  const log = await createTestLog(catalog, 'memory', () => {
    requests += 1;
    return { ...testMetadata, projectId: committed[requests - 1]?.projectId ?? '', requestId: `request ${requests}` };
  });
  for (const n of committed.keys()) {
    const data = { userId: idOf(n), isEnabled: true, at: fixedTime };
    await log.record(`user-${idOf(n)}`, { type: 'OtpAuthChanged', data });
  }
  const events = (await log.store.readAll(0n, 100)).map((event, n): Recorded => {
    return { ...event, committedAt: new Date(start + (committed[n]?.ms ?? 0)).toISOString() };
  });
  const version = await createProjectionVersion(database.pool, pastGroup);
  let { position } = version;
  for (const batch of [events.slice(0, 3), events.slice(3, 4), events.slice(4)]) {
    ({ position } = await projectBatch(database.pool, pastGroup, version, position, batch));
  }
  await createIndexes(database.pool, version);
  await markReady(database.pool, version);
  await promoteProjectionVersion(database.pool, version.id);
  const moments = createMoments({ ...partsOf({ database }), store: storeAt(() => position) });
  return { database, moments };
}

const storeAt = (head: () => bigint) => ({ head: async () => head(), checkAppends: async () => 'ok' as const });

const partsOf = ({ database: { pool } }: Pick<Past, 'database'>) => ({
  pool,
  store: storeAt(() => 6n),
  readModels: { schema: () => 'past_g1', isQuarantined: () => false },
});

async function positionAt(ms: number, { moments }: Past, projectId = 'internal'): Promise<number> {
  const found = await moments.find(projectId, { millis: start + ms });
  if (found.outcome !== 'found') throw new Error(found.outcome);
  return Number(found.moment.position);
}

test('a clock that is set back never shows a later moment with an earlier position (#20 check 16)', async () => {
  const times = Array.from({ length: 16 }, (_, n) => n * 1_000);
  const positions = await Promise.all(times.map((ms) => positionAt(ms, past)));
  expect(positions).toEqual(positions.toSorted((one, other) => one - other));
  // Events that were committed after the one with the highest time count from that time on.
  expect(positions).toEqual([1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5, 5, 6, 6]);
});

test('neither does one that was set back between events of different projects (#20 check 16)', async () => {
  const times = Array.from({ length: 13 }, (_, n) => n * 1_000);
  const positionsOf = (projectId: string) => Promise.all(times.map((ms) => positionAt(ms, pastOfSeveral, projectId)));
  expect(await positionsOf('shop')).toEqual([2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 7]);
  // It sees owners of all projects. The fifth event counts from the time of the third, of the same project.
  expect(await positionsOf('internal')).toEqual([2, 2, 2, 4, 4, 6, 6, 6, 6, 6, 6, 6, 7]);
});

type Asked = { text: string; values: unknown[] };

test('a moment of all projects is found without reading all of their actions', async () => {
  const client = await pastOfSeveral.database.pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into past_g1.actions (project_id, action_id, event_id, at, from_position, until_position)
       select 'many', n, gen_random_uuid(), to_timestamp($1::float8 / 1000), 100 + n,
         case when n = 5000 then ${forever} else 101 + n end
       from generate_series(1, 5000) n`,
      [start + 6_000],
    );
    await client.query('analyze past_g1.actions');
    const asked: Asked[] = [];
    const query = (...given: [Asked]) => {
      asked.push(given[0]);
      return client.query(...given);
    };
    await createMoments({ ...partsOf(pastOfSeveral), pool: { query } as unknown as Pool }).find('internal', {
      millis: start + 11_000,
    });
    const [find = { text: '', values: [] }] = asked;
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${find.text}`, find.values);
    expect(rowsOfPlan(rows)).toBeLessThan(100);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('a project has no moment before its first event', async () => {
  expect(await past.moments.find('internal', { millis: start - 1 })).toEqual({
    outcome: 'before-project',
    createdAt: start,
  });
  expect(await past.moments.find('none', { millis: start })).toEqual({ outcome: 'before-project', createdAt: null });
});

test('the ID of an event names the moment after its action, for its own project only', async () => {
  const found = await past.moments.find('internal', { millis: start + 1_000 });
  if (found.outcome !== 'found') throw new Error(found.outcome);
  const { eventId, position } = found.moment;
  const byId = await past.moments.find('internal', { eventId });
  expect(byId).toMatchObject({ outcome: 'found', moment: { eventId, position, millis: start + 1_000 } });
  expect(await past.moments.find('other', { eventId })).toEqual({ outcome: 'unknown-event' });
});

function createLagging(ageMs: number) {
  let head = 6n;
  const lagging = createMoments({ ...partsOf(past), store: storeAt(() => head), patienceMs: 60, ageMs });
  const outcomeAt = async (ms: number) => (await lagging.find('internal', { millis: start + ms })).outcome;
  return { outcomeAt, append: () => (head = 99n) };
}

test('a moment that the past has not reached is not ready, but earlier ones are', async () => {
  const { outcomeAt, append } = createLagging(60_000);
  expect(await outcomeAt(1_000)).toBe('found');
  append();
  expect(await outcomeAt(20_000)).toBe('not-ready');
  expect(await outcomeAt(1_000)).toBe('found');
});

test('a moment waits for appends that have their time already, but are not in the log yet', async () => {
  const momentsAfter = (outcome: 'ok' | 'blocked', newHead: bigint) => {
    let head = 6n;
    const checkAppends = async () => {
      head = newHead;
      return outcome;
    };
    return createMoments({ ...partsOf(past), store: { head: async () => head, checkAppends }, patienceMs: 60 });
  };
  const now = { millis: start + 20_000 };
  expect((await momentsAfter('ok', 6n).find('internal', now)).outcome).toBe('found');
  expect((await momentsAfter('ok', 99n).find('internal', now)).outcome).toBe('not-ready');
  expect((await momentsAfter('blocked', 6n).find('internal', now)).outcome).toBe('not-ready');
});

test('a past that may lack erasures for long shows no moment', async () => {
  const { outcomeAt, append } = createLagging(0);
  expect(await outcomeAt(1_000)).toBe('found');
  append();
  expect(await outcomeAt(1_000)).toBe('not-ready');
});

test('a quarantined project shows no moment, because erasures do not reach its versions', async () => {
  const isQuarantined = ([id]: readonly string[], group: string) => id === 'internal' && group === 'past';
  const quarantined = createMoments({
    ...partsOf(past),
    readModels: { schema: () => 'past_g1', isQuarantined },
  });
  expect(await quarantined.find('internal', { millis: start + 1_000 })).toEqual({ outcome: 'not-ready' });
});
