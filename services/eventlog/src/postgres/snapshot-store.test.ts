import { randomUUID } from 'node:crypto';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Snapshot } from '../states/snapshots.ts';
import { migrateEventLog } from './migrate.ts';
import { createPostgresSnapshotStore } from './snapshot-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateEventLog(database.pool);
});
afterAll(() => database.close());

const snapshotOf = (subjectId: string | null): Snapshot => ({
  stream: `user-${randomUUID()}`,
  revision: 100n,
  version: 'v1',
  eventId: randomUUID(),
  subjectId,
  content: Buffer.from('state'),
});

async function addSubject(projectId = 'p1'): Promise<string> {
  const id = randomUUID();
  await database.pool.query('select keys.add_subjects($1, $2, $3, $4)', [[id], ['key'], [null], projectId]);
  return id;
}

test('the newest snapshot of a stream is kept, until other code saves one', async () => {
  const store = createPostgresSnapshotStore(database.pool);
  const first = snapshotOf(null);
  const saved = () => store.load(first.stream, 'v1');
  expect(await saved()).toBeNull();
  await store.save(first);
  expect(await saved()).toEqual(first);
  await store.save({ ...first, revision: 99n });
  expect(await saved()).toEqual(first);
  const newer = { ...first, revision: 300n };
  await store.save(newer);
  expect(await saved()).toEqual(newer);
  await store.save({ ...first, version: 'v2' });
  expect([await saved(), await store.load(first.stream, 'v2')]).toEqual([null, { ...first, version: 'v2' }]);
});

test('erasing a subject or its project deletes the snapshots, and none is saved afterwards', async () => {
  const store = createPostgresSnapshotStore(database.pool);
  const projectId = randomUUID();
  const [ann, bob, eve] = [await addSubject(), await addSubject(projectId), await addSubject()];
  const [ofAnn, ofBob, ofEve] = [snapshotOf(ann), snapshotOf(bob), snapshotOf(eve)];
  for (const snapshot of [ofAnn, ofBob, ofEve]) await store.save(snapshot);
  await database.pool.query('select keys.erase_subject($1)', [ann]);
  await database.pool.query('select keys.erase_project($1, 10)', [projectId]);
  for (const snapshot of [ofAnn, ofBob, snapshotOf(randomUUID())]) await store.save({ ...snapshot, revision: 200n });
  const { rows } = await database.pool.query('select subject from log.snapshots where subject is not null');
  expect(rows).toEqual([{ subject: eve }]);
});
