import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditGroup, mainGroup, metricsGroup } from './projection-groups.ts';
import { type ReadSide, startReadSide } from './testing/read-side.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

const userId = '00000000-0000-4000-8000-000000000001';
const created: UserEvent = {
  type: 'UserCreated',
  data: {
    ...unknownSignIn,
    ...{
      userId,
      projectId: 'internal',
      displayName: 'Ann',
      profileImageUrl: null,
      isAnonymous: false,
      method: 'password',
      at,
    },
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
  },
};

test('verification finds no difference in intact read models, and reports a damaged row', async () => {
  const renamed: UserEvent = { type: 'UserRenamed', data: { userId, displayName: 'Anna', at } };
  await side.readModels.reached(await side.record(`user-${userId}`, created, renamed));
  const { pool } = side.database;
  expect(isConsistent(await compareWithRebuild(pool, side.store, mainGroup))).toBe(true);
  expect(isConsistent(await compareWithRebuild(pool, side.store, metricsGroup))).toBe(true);
  expect(isConsistent(await compareWithRebuild(pool, side.store, auditGroup))).toBe(true);
  await pool.query(`update ${side.readModels.schema('main')}.users set display_name = 'Mallory'`);
  const damaged = await compareWithRebuild(pool, side.store, mainGroup);
  expect(isConsistent(damaged)).toBe(false);
  expect(damaged.tables.filter(({ differing }) => differing > 0)).toEqual([
    {
      table: 'users',
      rowsLive: 1,
      rowsRebuilt: 1,
      checksum: 'differs',
      differing: 1,
      differences: [{ table: 'users', key: { id: userId }, kind: 'changed', columns: ['display_name'] }],
    },
  ]);
  await pool.query(`update ${side.readModels.schema('main')}.users set display_name = 'Anna'`);
});
