import type { GatebookEvent } from '@gatebook/domain/catalogue';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import { runReactor } from '@gatebook/readmodel/followers/reactor';
import { migrateReadModels } from '@gatebook/readmodel/generations';
import { createTestLog, silentLogger as logger } from '@gatebook/readmodel/testing/read-side';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { expect, test } from 'vitest';
import { createEraser } from './erase-subjects.ts';

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [projectId, subjectId, ann, bo, cem] = [idOf(1), idOf(2), idOf(3), idOf(4), idOf(5)];
const userCreated = (userId: string, ofProject: string): GatebookEvent => ({
  type: 'UserCreated',
  data: {
    ...{
      userId,
      projectId: ofProject,
      displayName: 'X',
      profileImageUrl: null,
      isAnonymous: false,
      method: 'server',
      at,
    },
    ...{ clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null },
  },
});
const projectCreated: GatebookEvent = {
  type: 'ProjectCreated',
  data: {
    ...{ projectId, subjectId, displayName: 'Shop', description: '', isProductionMode: false, at },
    ...{ config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings },
  },
};

test('whoever is deleted, alone or with a project, is erased in the log and forgotten, also by a second run', async () => {
  const database = await testDatabase();
  await migrateReadModels(database.pool);
  const { store, keyring, record } = await createTestLog();
  const forgotten: string[] = [];
  const activity = { forgetUser: async (userId: string) => void forgotten.push(userId) };
  const eraser = createEraser({ store, activity, eraseSubject: (id) => keyring.erase(id) });

  await record(`project-${projectId}`, projectCreated);
  for (const [userId, ofProject] of [
    [ann, projectId],
    [bo, 'internal'],
    [cem, 'internal'],
  ] as const) {
    await record(`user-${userId}`, userCreated(userId, ofProject));
  }
  await record(`user-${bo}`, { type: 'UserDeleted', data: { userId: bo, projectId: 'internal', at } });
  await record(`project-${projectId}`, { type: 'ProjectDeleted', data: { projectId, at } });

  const runToHead = async () => {
    const stop = new AbortController();
    const running = runReactor({ store, pool: database.pool, logger }, eraser, stop.signal);
    const position = async () =>
      (await database.pool.query<{ position: string }>('select position from readmodel.followers')).rows[0]?.position;
    await expect.poll(position).toBe(String(await store.head()));
    stop.abort();
    await running;
  };
  await runToHead();
  const names = async () =>
    (await store.readAll(0n, 100)).flatMap(({ type, data }) => (type === 'UserCreated' ? [data.displayName] : []));
  expect(await names()).toEqual([null, null, 'X']);
  expect(forgotten).toEqual([bo, ann]);

  await database.pool.query('delete from readmodel.followers');
  await runToHead();
  expect(await names()).toEqual([null, null, 'X']);
  await database.close();
});
