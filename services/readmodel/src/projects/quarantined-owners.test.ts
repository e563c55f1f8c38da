import type { ProjectEvent } from '@gatebook/domain/project/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { listQuarantined, requestRelease } from '@gatebook/projections/quarantine/quarantine';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainGroup } from '../projection-groups.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';

const state = { isBroken: true };
const [projectId, ann, bob] = ['00000000-0000-4000-8000-000000000001', idOf(2), idOf(3)];
function idOf(n: number): string {
  return `00000000-0000-4000-8000-00000000000${n}`;
}

let side: ReadSide;
beforeAll(async () => {
  const changesFor: typeof mainGroup.changesFor = (event) => {
    if (state.isBroken && event.type === 'ConfigSourceUnlinked') throw new Error('a defect');
    return mainGroup.changesFor(event);
  };
  side = await startReadSide([{ ...mainGroup, changesFor }]);
});
afterAll(() => side.close());

const owner = (userId: string): ProjectEvent => ({ type: 'ProjectOwnerAdded', data: { projectId, userId, at } });
const deleted = (userId: string): UserEvent => ({
  type: 'UserDeleted',
  data: { wasScheduled: false, addressRefs: [], userId, projectId: 'internal', at },
});

test('an owner who was deleted while the project was quarantined is not an owner after its release', async () => {
  const { pool } = side.database;
  const ofProject = createRecord(side.store, { ...testMetadata, projectId });
  const ofInternal = createRecord(side.store, testMetadata);
  await ofProject(`project-${projectId}`, { type: 'ConfigSourceUnlinked', data: { projectId, at } });
  await ofProject(`project-${projectId}`, owner(ann), owner(bob));
  await ofInternal(`user-${ann}`, deleted(ann));
  await side.readModels.reached(await side.store.head());
  expect((await listQuarantined(pool)).map((one) => one.projectId)).toEqual([projectId]);
  state.isBroken = false;
  await requestRelease(pool, { projectId });
  await expect.poll(() => listQuarantined(pool)).toEqual([]);
  const { rows } = await pool.query(`select user_id from ${side.readModels.schema('main')}.project_members`);
  expect(rows).toEqual([{ user_id: bob }]);
  expect(isConsistent(await compareWithRebuild(pool, side.store, mainGroup))).toBe(true);
});
