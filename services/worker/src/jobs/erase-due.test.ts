import { deleteProject, restoreProject } from '@gatebook/commands/project/delete-project';
import { createProject } from '@gatebook/commands/project/project';
import { deleteTeam, restoreTeam } from '@gatebook/commands/team/delete-team';
import { createTeam } from '@gatebook/commands/team/team';
import { testProject } from '@gatebook/commands/testing/people';
import { contextOf, createWorld } from '@gatebook/commands/testing/world';
import { createUser } from '@gatebook/commands/user/create-user';
import { deleteUser, restoreUser } from '@gatebook/commands/user/delete-user';
import type { DueDeletion } from '@gatebook/readmodel/due-deletions';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { type ReadSide, startReadSide } from '@gatebook/readmodel/testing/read-side';
import { createLogger } from '@gatebook/runtime/logger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eraseDue } from './erase-due.ts';

const ctx = contextOf('internal');
const dayMs = 24 * 60 * 60 * 1000;
const never = new AbortController().signal;
const lines: string[] = [];
const logger = createLogger({ level: 'warn' }, { write: (line: string) => void lines.push(line) });

let side: ReadSide;
let world: Awaited<ReturnType<typeof createWorld>>;
beforeAll(async () => {
  side = await startReadSide([mainGroup]);
  world = await createWorld(side);
});
afterAll(() => side.close());

const caughtUp = async () => side.readModels.reached(await side.store.head());
const sweep = (limit: number, after?: DueDeletion, write = world.deps, signal = never) =>
  eraseDue({ db: side.db, write, logger }, { after, limit }, signal);
const run = async (write = world.deps, signal = never) => (await sweep(1_000, undefined, write, signal)).erased;

async function deletedUsers(count: number, graceDays: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { userId } = await createUser(world.deps, ctx, { project: testProject });
    await deleteUser(world.deps, ctx, { userId, graceDays });
    ids.push(userId);
  }
  await caughtUp();
  return ids;
}
const deletionsOf = async (userId: string) =>
  (await side.store.readStream(`user-${userId}`)).events.filter(({ type }) => type === 'UserDeleted').length;

test('teams whose grace period is over are erased, and others are not', async () => {
  const create = async (graceDays: number) => {
    const { team } = await createTeam(world.deps, ctx, { displayName: 'Crew', creatorId: null, project: testProject });
    await deleteTeam(world.deps, ctx, { teamId: team.teamId, by: null, graceDays });
    return team.teamId;
  };
  const [early, restored, late] = [await create(10), await create(10), await create(11)];
  await caughtUp();
  world.clock.advance(10 * dayMs);
  await restoreTeam(world.deps, ctx, { teamId: restored });
  expect(await run()).toBe(1);
  const readTypes = async (teamId: string) =>
    (await side.store.readStream(`team-${teamId}`)).events.map(({ type }) => type).slice(2);
  expect(await Promise.all([early, restored, late].map(readTypes))).toEqual([
    ['TeamDeleted'],
    ['TeamDeletionCanceled'],
    [],
  ]);
  await caughtUp();
  world.clock.advance(dayMs);
  expect(await run()).toBe(1);
  await caughtUp();
});

test('a project is erased when its grace period is over, unless it was restored', async () => {
  const create = async () =>
    (await createProject(world.deps, ctx, { displayName: 'Shop', ownerUserId: world.deps.newId() })).projectId;
  const [due, restored] = [await create(), await create()];
  for (const projectId of [due, restored]) await deleteProject(world.deps, contextOf(projectId), { graceDays: 10 });
  await caughtUp();
  expect(await run()).toBe(0);
  world.clock.advance(10 * dayMs);
  await restoreProject(world.deps, contextOf(restored));
  expect(await run()).toBe(1);
  const lastTypes = await Promise.all(
    [due, restored].map(async (id) => (await side.store.readStream(`project-${id}`)).events.at(-1)?.type),
  );
  expect(lastTypes).toEqual(['ProjectDeleted', 'ProjectDeletionCanceled']);
  expect((await side.store.readStream(`projectclosure-${due}`)).events).toHaveLength(1);
  await caughtUp();
});

describe('users whose grace period is over', () => {
  test('are erased, and others are not', async () => {
    const [early = '', restored = ''] = await deletedUsers(2, 10);
    const [late = ''] = await deletedUsers(1, 11);
    world.clock.advance(10 * dayMs - 1);
    expect(await run()).toBe(0);
    world.clock.advance(1);
    await restoreUser(world.deps, ctx, { userId: restored });
    expect(await run()).toBe(1);
    expect(await Promise.all([early, restored, late].map(deletionsOf))).toEqual([1, 0, 0]);
    await caughtUp();
    world.clock.advance(dayMs);
    expect(await run()).toBe(1);
    await caughtUp();
    expect(await run()).toBe(0);
  });

  test('are each erased once, however often the job is killed and repeated', async () => {
    const ids = await deletedUsers(5, 1);
    world.clock.advance(dayMs);
    const { append } = world.deps.store;
    for (let survived = 0; ; survived += 1) {
      let appends = 0;
      const killed = new AbortController();
      const store: typeof world.deps.store = {
        ...world.deps.store,
        append: async (writes, metadata) => {
          appends += 1;
          if (appends === 2) killed.abort();
          // Killed before the append, and in other rounds after it.
          if (appends === 2 && survived % 2 === 0) throw new Error('killed');
          return append(writes, metadata);
        },
      };
      if ((await run({ ...world.deps, store }, killed.signal)) === 0 && appends === 0) break;
      if (survived % 3 === 0) await caughtUp();
    }
    expect(await Promise.all(ids.map(deletionsOf))).toEqual([1, 1, 1, 1, 1]);
    await caughtUp();
  });

  test('are erased a limited number at a time, although one of them can’t be', async () => {
    const ids = await deletedUsers(5, 1);
    world.clock.advance(dayMs);
    const [broken = ''] = ids.toSorted();
    const foldStream: typeof side.store.foldStream = async (stream, ...rest) => {
      if (stream === `user-${broken}`) throw new Error('unreadable');
      return side.store.foldStream(stream, ...rest);
    };
    lines.length = 0;
    const write = { ...world.deps, store: { ...side.store, foldStream } };
    const first = await sweep(2, undefined, write);
    const second = await sweep(2, first.next, write);
    const third = await sweep(2, second.next, write);
    expect([first, second, third].map(({ erased }) => erased)).toEqual([1, 2, 1]);
    expect(third.next).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(broken);
    expect(await run()).toBe(1);
    await caughtUp();
  });
});
