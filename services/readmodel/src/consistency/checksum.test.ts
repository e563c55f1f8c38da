import {
  type Checksum,
  isSame,
  readChecksums,
  startChecksums,
  sumRows,
} from '@gatebook/projections/consistency/checksum';
import {
  createProjectionVersion,
  migrateProjections,
  type ProjectionVersion,
} from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import { dropProjectionVersion } from '@gatebook/projections/promotion';
import type { TestLog } from '@gatebook/projections/testing/test-log';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainGroup } from '../projection-groups.ts';
import { insertCopiedUser } from '../testing/copied-user.ts';
import { histories } from '../testing/histories.ts';
import { createGatebookLog } from '../testing/read-side.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

const batchSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

async function project(
  { store }: TestLog,
  projectionVersion: ProjectionVersion,
  from: bigint,
  sizes: readonly number[],
) {
  let position = from;
  for (let turn = 0; position < (await store.head()); turn += 1) {
    const events = await store.readAll(position, sizes[turn % sizes.length] ?? 1);
    ({ position } = await projectBatch(database.pool, mainGroup, projectionVersion, position, events));
  }
}

async function sums({ schema }: ProjectionVersion): Promise<Map<string, Checksum>> {
  const all = new Map<string, Checksum>();
  for (const { name } of mainGroup.tables) all.set(name, await sumRows(database.pool, schema, name));
  return all;
}

const kept = ({ id }: ProjectionVersion) => readChecksums(database.pool, id);
const sorted = (map: ReadonlyMap<string, Checksum> | null) => [...(map ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));

test('checksums that batches update match the rows, whenever they were started', async () => {
  let rows = 0n;
  await fc.assert(
    fc.asyncProperty(histories, batchSizes, fc.nat(30), async (history, sizes, before) => {
      const log = await createGatebookLog();
      for (const { stream, events } of history) await log.record(stream, ...events);
      const projectionVersion = await createProjectionVersion(database.pool, mainGroup);
      try {
        const first = await log.store.readAll(0n, before);
        const { position: from } = await projectBatch(database.pool, mainGroup, projectionVersion, 0n, first);
        expect(await kept(projectionVersion)).toBeNull();
        await startChecksums(database.pool, projectionVersion);
        await project(log, projectionVersion, from, sizes);
        expect(sorted(await kept(projectionVersion))).toEqual(sorted(await sums(projectionVersion)));
        for (const sum of (await kept(projectionVersion))?.values() ?? []) rows += sum.rows;
      } finally {
        await dropProjectionVersion(database.pool, projectionVersion.id);
      }
    }),
    { numRuns: 15, seed: 20260115 },
  );
  expect(rows).toBeGreaterThan(100n);
});

test('checksums can be started while batches run', async () => {
  const log = await createGatebookLog();
  const [history = []] = fc.sample(histories, { numRuns: 1, seed: 3 });
  for (const { stream, events } of history) await log.record(stream, ...events);
  const projectionVersion = await createProjectionVersion(database.pool, mainGroup);
  await Promise.all([
    project(log, projectionVersion, 0n, [1]),
    ...[1, 2, 3].map(() => startChecksums(database.pool, projectionVersion)),
  ]);
  await startChecksums(database.pool, projectionVersion);
  expect(sorted(await kept(projectionVersion))).toEqual(sorted(await sums(projectionVersion)));
  await dropProjectionVersion(database.pool, projectionVersion.id);
  expect(await kept(projectionVersion)).toBeNull();
});

test.each([
  ['changed', `update {}.users set display_name = 'Mallory' where id = (select id from {}.users limit 1)`],
  ['deleted', 'delete from {}.users where id = (select id from {}.users limit 1)'],
  ['inserted', insertCopiedUser('{}', '00000000-0000-4000-8000-00000000dead')],
  [
    'exchanged between columns',
    'update {}.users set client_metadata = server_metadata, server_metadata = client_metadata',
  ],
])('a row that is %s without the projector shows in the checksum, even after later batches', async (_, damage) => {
  const log = await createGatebookLog();
  const [history = []] = fc.sample(histories, { numRuns: 1, seed: 5 });
  for (const { stream, events } of history) await log.record(stream, ...events);
  const projectionVersion = await createProjectionVersion(database.pool, mainGroup);
  await startChecksums(database.pool, projectionVersion);
  const half = await log.store.readAll(0n, Math.floor(Number(await log.store.head()) / 2));
  const { position } = await projectBatch(database.pool, mainGroup, projectionVersion, 0n, half);
  const differing = async () => {
    const [actual, stored] = [await sums(projectionVersion), await kept(projectionVersion)];
    return [...actual].filter(([name, sum]) => !isSame(sum, stored?.get(name) ?? sum)).map(([name]) => name);
  };
  expect(await differing()).toEqual([]);
  const { rowCount } = await database.pool.query(damage.replaceAll('{}', projectionVersion.schema));
  expect(rowCount).toBeGreaterThan(0);
  expect(await differing()).toEqual(['users']);
  await project(log, projectionVersion, position, [3]);
  expect(await differing()).toEqual(['users']);
  await dropProjectionVersion(database.pool, projectionVersion.id);
});
