import type { ProjectEvent } from '@gatebook/domain/project/events';
import type { TeamEvent } from '@gatebook/domain/team/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { clearAll } from '@gatebook/projections/clear-tombstones';
import { allShards, createProjectionVersion } from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import { shardOf } from '@gatebook/projections/shards';
import { projectionsTemplate } from '@gatebook/projections/testing/projections-template';
import { createRecord, type TestLog, testMetadata } from '@gatebook/projections/testing/test-log';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainGroup } from '../projection-groups.ts';
import { createGatebookLog } from '../testing/read-side.ts';

const shards = 3;
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const projects = Array.from({ length: 12 }, (_, n) => idOf(100 + n));
const [ann, bob, team] = [idOf(1), idOf(2), idOf(3)];

let database: TestDatabase;
let log: TestLog;
beforeAll(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createGatebookLog()]);
  const record = createRecord(log.store, (stream) => ({
    ...testMetadata,
    projectId: stream.startsWith('project-') ? stream.slice('project-'.length) : 'internal',
  }));
  const ofEach = async (...events: ((projectId: string) => ProjectEvent)[]) => {
    for (const projectId of projects) await record(`project-${projectId}`, ...events.map((event) => event(projectId)));
  };
  await ofEach(owner(ann), owner(bob), ownerTeam(team));
  await record(`user-${ann}`, deletedUser(ann));
  await record(`team-${team}`, deletedTeam(team));
  // Ann is an owner again, as after a race; the tombstone of the team hides rows that arrive later.
  await ofEach(owner(ann), ownerTeam(team));
});
afterAll(() => database.close());

const owner =
  (userId: string) =>
  (projectId: string): ProjectEvent => ({ type: 'ProjectOwnerAdded', data: { projectId, userId, at } });
const ownerTeam =
  (teamId: string) =>
  (projectId: string): ProjectEvent => ({ type: 'ProjectOwnerTeamChanged', data: { projectId, teamId, at } });
const deletedUser = (userId: string): UserEvent => ({
  type: 'UserDeleted',
  data: { wasScheduled: false, addressRefs: [], userId, projectId: 'internal', at },
});
const deletedTeam = (teamId: string): TeamEvent => ({
  type: 'TeamDeleted',
  data: { teamId, projectId: 'internal', wasScheduled: false, at },
});

/** The owners of all projects after each shard in this order has applied the whole log. */
async function ownersBuiltIn(order: readonly number[]): Promise<{ owners: string[]; teams: string[] }> {
  const { pool } = database;
  const version = await createProjectionVersion(pool, { ...mainGroup, name: 'ordered', shards: order.length });
  const all = allShards({ ...version, tables: mainGroup.tables });
  const events = await log.store.readAll(0n, 1000);
  for (const shard of order) {
    // One by one: within a batch, an event can only reach rows of the same batch.
    let [state] = all.slice(shard);
    for (const event of events) {
      if (!state) throw new Error('there is no such shard');
      state = { ...state, ...(await projectBatch(pool, mainGroup, state, state.position, [event])) };
    }
  }
  await clearAll(pool, { ...version, tables: mainGroup.tables });
  const rowsOf = async (table: string) =>
    (await pool.query<{ row: string }>(`select t::text as row from ${version.schema}.${table} t order by 1`)).rows.map(
      ({ row }) => row,
    );
  return { owners: await rowsOf('project_members'), teams: await rowsOf('project_owner_teams') };
}

test('owners of projects are the same in whichever order the shards apply the log', async () => {
  expect(new Set(projects.map((projectId) => shardOf(projectId, shards))).size).toBe(shards);
  const expected = await ownersBuiltIn([0]);
  expect(expected.owners).toHaveLength(2 * projects.length);
  expect(expected.teams).toEqual([]);
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
  ]) {
    expect(await ownersBuiltIn(order)).toEqual(expected);
  }
});
