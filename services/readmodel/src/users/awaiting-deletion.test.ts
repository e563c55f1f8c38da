import type { UserEvent } from '@gatebook/domain/user/events';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findApiKeyByHash } from '../api-keys/queries.ts';
import { listDueDeletions } from '../due-deletions.ts';
import { listPendingEmails } from '../emails/queries.ts';
import { hiddenProjectId } from '../hidden-projects.ts';
import { allGroups, auditGroup, eventsGroup } from '../projection-groups.ts';
import { everyTable } from '../testing/every-table.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { listDeletedUsers } from './deleted-users.ts';
import { findUser } from './queries.ts';

const projectId = '00000000-0000-4000-8001-0000000000aa';
/** In `everyTable`, this user has rows in most tables. */
const userId = '00000000-0000-4000-8002-000000000001';
const groups = allGroups;
const deleteAt = '2026-02-14T12:00:00.000Z';
const scheduled: UserEvent = {
  type: 'UserDeletionScheduled',
  data: { userId, projectId, deleteAt, isByUser: true, at },
};
const canceled: UserEvent = { type: 'UserDeletionCanceled', data: { userId, projectId, at } };
const deleted = (wasScheduled: boolean): UserEvent => ({
  type: 'UserDeleted',
  data: { userId, projectId, addressRefs: [], wasScheduled, at },
});

let side: ReadSide;
let record: ReturnType<typeof createRecord>;
beforeEach(start);
afterEach(() => side.close());

async function start(): Promise<void> {
  side = await startReadSide();
  record = createRecord(side.store, { ...testMetadata, projectId });
  const steps = JSON.parse(JSON.stringify(everyTable).replaceAll('"internal"', `"${projectId}"`)) as typeof everyTable;
  for (const { stream, events } of steps) await record(stream, ...events);
}

async function happen(...events: UserEvent[]): Promise<void> {
  await record(`user-${userId}`, ...events);
  const head = await side.store.head();
  await side.readModels.reached(head);
  for (const { name } of groups) {
    await expect
      .poll(async () => {
        const { rows } = await side.database.pool.query<{ position: string }>(
          `select position from readmodel.projection_shards s
           join readmodel.projection_versions v on v.id = s.version_id where v.schema_name = $1`,
          [side.readModels.schema(name as 'main')],
        );
        return rows[0]?.position;
      })
      .toBe(String(head));
  }
  // Rows of deleted teams stay until they are removed.
  await vi.waitUntil(async () => {
    const { rowCount } = await side.database.pool.query('select from readmodel.tombstones where not is_cleared');
    return rowCount === 0;
  });
}

type Row = Readonly<Record<string, unknown>>;
/** The user's rows by table. The audit log and public events have no personal data and show them all the time. */
async function rowsOfUser(): Promise<Record<string, Row[]>> {
  const found: Record<string, Row[]> = {};
  for (const { name: group, tables } of groups.filter((group) => group !== auditGroup && group !== eventsGroup)) {
    for (const { name, columns } of tables) {
      const column = name === 'users' ? 'id' : 'user_id';
      if (!(column in columns)) continue;
      const { rows } = await side.database.pool.query<Row>(
        `select * from ${side.readModels.schema(group)}.${name} where ${column} = $1 order by 1, 2, 3`,
        [userId],
      );
      if (rows.length > 0) found[name] = rows;
    }
  }
  return found;
}

const userCount = async () =>
  (
    await side.database.pool.query(`select user_count from ${side.readModels.schema('main')}.projects where id = $1`, [
      projectId,
    ])
  ).rows[0].user_count;

async function expectConsistent(): Promise<void> {
  for (const group of groups) {
    const result = await compareWithRebuild(side.database.pool, side.store, group);
    expect(result.tables.filter(({ differing }) => differing > 0)).toEqual([]);
    expect(isConsistent(result)).toBe(true);
  }
}

describe('the rows of a user who awaits deletion', () => {
  test('are all hidden', async () => {
    await happen();
    const before = await rowsOfUser();
    const count = await userCount();
    expect(Object.keys(before).length).toBeGreaterThan(10);
    await happen(scheduled);
    const { project_members: _, ...moved } = await rowsOfUser();
    const projects = Object.values(moved).flatMap((rows) => rows.map((row) => row.project_id));
    expect(new Set(projects)).toEqual(new Set([hiddenProjectId(projectId)]));
    await expect(findUser(side.db, projectId, userId)).rejects.toThrow('USER_NOT_FOUND');
    expect(await userCount()).toBe(count - 1);
    await expectConsistent();
  });

  test('come back as they were, without sessions and API keys', async () => {
    await happen();
    const before = await rowsOfUser();
    const count = await userCount();
    await happen(scheduled, canceled);
    const after = await rowsOfUser();
    const { users, ...others } = after;
    const { users: usersBefore, ...othersBefore } = before;
    expect(others).toEqual(othersBefore);
    const { revision } = (await side.store.readStream(`user-${userId}`)).events.at(-2) ?? { revision: -1n };
    expect(users).toEqual([
      {
        ...usersBefore?.[0],
        sessions_ended_revision: String(revision),
        api_keys_revoked_revision: String(revision),
        api_keys_revoked_at: new Date(at),
      },
    ]);
    expect(await userCount()).toBe(count);
    await expectConsistent();
  });

  test('are not found by queries of all projects, such as those for API keys and pending emails', async () => {
    await happen();
    const { api_keys: [key] = [], emails: [email] = [] } = await rowsOfUser();
    const find = async () => ({
      key: (await findApiKeyByHash(side.db, String(key?.hash)))?.id,
      emails: (await listPendingEmails(side.db, '2030-01-01', { limit: 100, ofMailings: false })).map(({ id }) => id),
    });
    expect(await find()).toMatchObject({ key: key?.id, emails: expect.arrayContaining([email?.id]) });
    await happen(scheduled);
    const found = await find();
    expect(found.key).toBeUndefined();
    expect(found.emails).not.toContain(email?.id);
  });

  test('end like those of a user who is deleted at once', async () => {
    await happen(scheduled, deleted(true));
    const [rows, count] = [await rowsOfUser(), await userCount()];
    await expectConsistent();
    await side.close();
    await start();
    await happen(deleted(false));
    const plain = await rowsOfUser();
    expect(rows).toEqual(plain);
    expect(await userCount()).toBe(count);
  });

  test('go with their project', async () => {
    await happen(scheduled);
    await record(`project-${projectId}`, { type: 'ProjectDeleted', data: { projectId, at } });
    await happen();
    await expect.poll(rowsOfUser, { timeout: 60_000 }).toEqual({});
    expect(await listDueDeletions(side.db, deleteAt, { limit: 10 })).toEqual([]);
    await expectConsistent();
  });
});

test('deleted users are listed for their project only, and when they are due for the worker', async () => {
  await happen(scheduled);
  const { rows } = await listDeletedUsers(side.db, projectId);
  expect(rows.find(({ id }) => id === userId)).toMatchObject({
    primaryEmail: expect.any(String),
    deletedAt: Date.parse(at),
    deleteAt: Date.parse(deleteAt),
    isByUser: true,
  });
  expect((await listDeletedUsers(side.db, 'internal')).rows).toEqual([]);
  const due = async (time: string) => (await listDueDeletions(side.db, time, { limit: 10 })).map(({ id }) => id);
  expect(await due('2026-02-14T11:59:59.999Z')).not.toContain(userId);
  expect(await due(deleteAt)).toContain(userId);
  const [first] = await listDueDeletions(side.db, deleteAt, { limit: 10 });
  expect(first).toMatchObject({ kind: 'user', projectId });
  expect(await listDueDeletions(side.db, deleteAt, { after: first, limit: 10 })).not.toContainEqual(first);
});
