import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGeneration, dropGeneration, type Generation, migrateReadModels } from '../generations.ts';
import { projectBatch } from '../projector.ts';
import { mainSet } from '../sets.ts';
import { histories } from '../testing/histories.ts';
import { createTestLog, type TestLog } from '../testing/read-side.ts';
import { type Checksum, isSame, readChecksums, startChecksums, sumRows } from './checksum.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateReadModels(database.pool);
});
afterAll(() => database.close());

const batchSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

async function project({ store }: TestLog, generation: Generation, from: bigint, sizes: readonly number[]) {
  let position = from;
  for (let turn = 0; position < (await store.head()); turn += 1) {
    const events = await store.readAll(position, sizes[turn % sizes.length] ?? 1);
    position = await projectBatch(database.pool, mainSet, generation, position, events);
  }
}

async function sums({ schema }: Generation): Promise<Map<string, Checksum>> {
  const all = new Map<string, Checksum>();
  for (const { name } of mainSet.tables) all.set(name, await sumRows(database.pool, schema, name));
  return all;
}

const kept = ({ id }: Generation) => readChecksums(database.pool, id);
const sorted = (map: ReadonlyMap<string, Checksum> | null) => [...(map ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));

test('the checksums that batches keep are those of the rows, from wherever they are kept', {
  timeout: 120_000,
}, async () => {
  let rows = 0n;
  await fc.assert(
    fc.asyncProperty(histories, batchSizes, fc.nat(30), async (history, sizes, before) => {
      const log = await createTestLog();
      for (const { stream, events } of history) await log.record(stream, ...events);
      const generation = await createGeneration(database.pool, mainSet);
      try {
        const first = await log.store.readAll(0n, before);
        const from = await projectBatch(database.pool, mainSet, generation, 0n, first);
        expect(await kept(generation)).toBeNull();
        await startChecksums(database.pool, generation);
        await project(log, generation, from, sizes);
        expect(sorted(await kept(generation))).toEqual(sorted(await sums(generation)));
        for (const sum of (await kept(generation))?.values() ?? []) rows += sum.rows;
      } finally {
        await dropGeneration(database.pool, generation.id);
      }
    }),
    { numRuns: 15, seed: 20260115 },
  );
  expect(rows).toBeGreaterThan(100n);
});

test('rows are counted while batches go on', async () => {
  const log = await createTestLog();
  const [history = []] = fc.sample(histories, { numRuns: 1, seed: 3 });
  for (const { stream, events } of history) await log.record(stream, ...events);
  const generation = await createGeneration(database.pool, mainSet);
  await Promise.all([
    project(log, generation, 0n, [1]),
    ...[1, 2, 3].map(() => startChecksums(database.pool, generation)),
  ]);
  await startChecksums(database.pool, generation);
  expect(sorted(await kept(generation))).toEqual(sorted(await sums(generation)));
  await dropGeneration(database.pool, generation.id);
  expect(await kept(generation)).toBeNull();
});

test.each([
  ['changed', `update {}.users set display_name = 'Mallory' where id = (select id from {}.users limit 1)`],
  ['deleted', 'delete from {}.users where id = (select id from {}.users limit 1)'],
  [
    'inserted',
    `insert into {}.users select (jsonb_populate_record(u, '{"id": "00000000-0000-4000-8000-00000000dead"}')).* from {}.users u limit 1`,
  ],
  [
    'exchanged between columns',
    'update {}.users set client_metadata = server_metadata, server_metadata = client_metadata',
  ],
])('a row that is %s behind the projector shows in the sum, also after later batches', async (_, damage) => {
  const log = await createTestLog();
  const [history = []] = fc.sample(histories, { numRuns: 1, seed: 5 });
  for (const { stream, events } of history) await log.record(stream, ...events);
  const generation = await createGeneration(database.pool, mainSet);
  await startChecksums(database.pool, generation);
  const half = await log.store.readAll(0n, Math.floor(Number(await log.store.head()) / 2));
  const position = await projectBatch(database.pool, mainSet, generation, 0n, half);
  const differing = async () => {
    const [actual, stored] = [await sums(generation), await kept(generation)];
    return [...actual].filter(([name, sum]) => !isSame(sum, stored?.get(name) ?? sum)).map(([name]) => name);
  };
  expect(await differing()).toEqual([]);
  const { rowCount } = await database.pool.query(damage.replaceAll('{}', generation.schema));
  expect(rowCount).toBeGreaterThan(0);
  expect(await differing()).toEqual(['users']);
  await project(log, generation, position, [3]);
  expect(await differing()).toEqual(['users']);
  await dropGeneration(database.pool, generation.id);
});
