import { createListener } from '@gatebook/runtime/listener';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { insert, type Projection, type Table } from './changes.ts';
import { createRequestedRebuilds } from './operations/requested.ts';
import { defineProjectionGroup, type ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions, projectionVersionsChannel } from './projection-versions.ts';
import { runProjector } from './run-projector.ts';
import { createGatedPool } from './testing/gated-pool.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { runUntilEnded } from './testing/run-until-ended.ts';
import { createTalliesLog, rename, type TalliesEvent, talliesEvents } from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';
import { createReadModels, ReadModelNotReadyError, type ReadModels } from './wait.ts';

const names: Table = {
  name: 'names',
  columns: { id: { type: 'uuid' }, name: { type: 'text', isNullable: true } },
  key: ['id'],
};

/** A group of people's names. Each version writes them differently, so tests can distinguish the versions. */
function namesGroup(version: number, write: (name: string | null) => string | null, tables = [names]): ProjectionGroup {
  const projection: Projection<TalliesEvent> = {
    PersonRenamed: ({ data }) => [insert('names', { id: data.personId, name: write(data.name) })],
  };
  return defineProjectionGroup({ name: 'main', version, catalog: talliesEvents, tables, projections: [projection] });
}

let database: TestDatabase;
let log: TestLog;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await database.close();
});

/** A projecting process. @returns a function that ends it */
function startProjecting(group: ProjectionGroup, pool = database.pool): () => Promise<void> {
  const end = runUntilEnded((signal) => runProjector({ store: log.store, pool, group, logger }, signal));
  closers.push(end);
  return end;
}

test('a projector that ends does not wait for a comparison, which the next one performs', async () => {
  const group = namesGroup(1, (name) => name);
  const { pool } = database;
  const gated = createGatedPool(pool);
  const end = startProjecting(group, gated.pool);
  const versions = () => listProjectionVersions(pool, 'main');
  const isLive = async () => (await versions()).some(({ status }) => status === 'live');
  await expect.poll(isLive, { timeout: pollDeadlineMs }).toBe(true);
  const rebuilds = createRequestedRebuilds({ pool, groups: [group] });
  const { schema } = await rebuilds.ask('main');
  await expect
    .poll(async () => (await versions()).every(({ isReady }) => isReady), { timeout: pollDeadlineMs })
    .toBe(true);
  gated.close(/full join/);
  const comparison = rebuilds.compare(schema);
  await expect.poll(gated.isHolding, { timeout: pollDeadlineMs }).toBe(true);
  closers.unshift(async () => gated.open());
  await pool.query(`update readmodel.operations set asked_at = asked_at - interval '1 minute'`);
  await end();
  expect(gated.isHolding()).toBe(true);
  startProjecting(group);
  expect(await comparison).toMatchObject({ other: schema, isEqual: true });
  gated.open();
});

/** A reading process: it learns of projections by notification alone. */
async function startReading(group: ProjectionGroup, pool = database.pool): Promise<ReadModels> {
  const listener = createListener(database.url, { name: 'reading', logger });
  const readModels = await createReadModels({ pool, listener, groups: [group], logger });
  closers.push(async () => {
    await readModels.close();
    await listener.close();
  });
  return readModels;
}

async function read(readModels: ReadModels): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `select name from ${readModels.schema('main')}.names order by id`,
  );
  return rows.map(({ name }) => name);
}

test('another process reads a write as soon as the wait for it ends', async () => {
  const group = namesGroup(1, (name) => name);
  startProjecting(group);
  const reading = await startReading(group);
  await reading.ready();
  for (let n = 1; n <= 20; n += 1) {
    expect(await reading.reached(await rename(log, n, `name ${n}`))).toBe('reached');
    expect(await read(reading)).toContain(`name ${n}`);
  }
});

test('waiting without a projector times out, and a null position is always reached', async () => {
  const group = namesGroup(1, (name) => name);
  const stop = startProjecting(group);
  const reading = await startReading(group);
  await reading.ready();
  await stop();
  expect(await reading.reached(null)).toBe('reached');
  expect(await reading.reached(await rename(log, 1, 'Ann'), 50)).toBe('behind');
});

test('the next version is built beside the live one and promoted under reads, without an error or a mixture', async () => {
  const first = namesGroup(1, (name) => `v1 ${name}`);
  const second = namesGroup(2, (name) => `v2 ${name}`);
  const stopFirst = startProjecting(first);
  const reading = await startReading(first);
  await reading.ready();
  const before = 200;
  for (let n = 1; n <= before; n += 1) await rename(log, n, `name ${n}`);
  await reading.reached(await log.store.head(), pollDeadlineMs);

  let isOver = false;
  const seen = new Set<string>();
  const keepReading = async () => {
    while (!isOver) {
      // Both projectors keep the live version at the head, so either may have written its newest rows.
      const kinds = new Set((await read(reading)).slice(0, before).map((name) => name.slice(0, 2)));
      expect(kinds.size).toBe(1);
      for (const kind of kinds) seen.add(kind);
    }
  };
  const readers = [keepReading(), keepReading(), keepReading()];
  // As in a rolling deploy, the old projector runs until the new one is up.
  startProjecting(second);
  for (let n = before + 1; n <= before + 60; n += 1) {
    const position = await rename(log, n, `name ${n}`);
    expect(await reading.reached(position, pollDeadlineMs)).toBe('reached');
    expect((await read(reading)).at(-1)).toMatch(new RegExp(`^v[12] name ${n}$`));
  }
  await expect.poll(() => seen.has('v2')).toBe(true);
  isOver = true;
  await Promise.all(readers);
  await stopFirst();
  expect((await read(reading)).every((name) => name.startsWith('v2'))).toBe(true);
  const projectionVersions = await listProjectionVersions(database.pool, 'main');
  expect(projectionVersions.map(({ version, status }) => [version, status])).toEqual([
    [1, 'previous'],
    [2, 'live'],
  ]);
});

test('a projector of the next version keeps the live version at the head while it builds its own', async () => {
  const first = namesGroup(1, (name) => `v1 ${name}`);
  const stopFirst = startProjecting(first);
  const reading = await startReading(first);
  await reading.ready();
  await reading.reached(await rename(log, 1, 'Ann'), pollDeadlineMs);
  await stopFirst();

  const gated = createGatedPool(database.pool);
  gated.close(/set ready_at/);
  const second = namesGroup(2, (name) => `v2 ${name}`);
  startProjecting(second, gated.pool);
  closers.push(async () => gated.open());
  await expect.poll(gated.isHolding).toBe(true);
  expect(await reading.reached(await rename(log, 2, 'Bob'), pollDeadlineMs)).toBe('reached');
  expect(await read(reading)).toEqual(['v1 Ann', 'v2 Bob']);

  gated.open();
  await expect.poll(() => read(reading)).toEqual(['v2 Ann', 'v2 Bob']);
});

test('code with new tables waits for its own projection version', async () => {
  const stop = startProjecting(namesGroup(1, (name) => name));
  const old = await startReading(namesGroup(1, (name) => name));
  await old.ready();
  const before = old.schema('main');
  await stop();
  const more: Table = { ...names, columns: { ...names.columns, length: { type: 'integer', isNullable: true } } };
  const next = namesGroup(2, (name) => name, [more]);
  const reading = await startReading(next);
  expect(() => reading.schema('main')).toThrow(ReadModelNotReadyError);
  startProjecting(next);
  await reading.ready();
  expect(reading.schema('main')).not.toBe(before);
});

test('a late look at the projection versions does not undo a promotion', async () => {
  const [first, second] = [namesGroup(1, (name) => `v1 ${name}`), namesGroup(2, (name) => `v2 ${name}`)];
  const stopFirst = startProjecting(first);
  let release = () => {};
  let isHolding = false;
  const { pool } = database;
  // Delays the result of one query, like a slow connection.
  const query = async (...input: Parameters<typeof pool.query>) => {
    const seen = await (pool.query as (...given: unknown[]) => Promise<unknown>)(...input);
    if (isHolding) {
      isHolding = false;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
    return seen;
  };
  const slowPool = Object.assign(Object.create(pool), { query }) as typeof pool;
  const reading = await startReading(first, slowPool);
  await reading.ready();
  const before = reading.schema('main');
  isHolding = true;
  await pool.query('select pg_notify($1, $2)', [projectionVersionsChannel, '']);
  await expect.poll(() => isHolding).toBe(false);
  startProjecting(second);
  const statusOf = async () => (await listProjectionVersions(pool, 'main')).map(({ status }) => status);
  await expect.poll(statusOf).toEqual(['previous', 'live']);
  release();
  await expect.poll(() => reading.schema('main')).not.toBe(before);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(reading.schema('main')).not.toBe(before);
  await stopFirst();
});
