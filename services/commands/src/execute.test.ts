import { userDecider } from '@gatebook/domain/user/decide';
import { ConcurrencyError, type EventStore } from '@gatebook/eventlog/port';
import { describe, expect, test } from 'vitest';
import { execute, readState, transact } from './execute.ts';
import { deleteProject } from './project/delete-project.ts';
import { createProject, updateProject } from './project/project.ts';
import { streamOf } from './streams.ts';
import { testProject } from './testing/people.ts';
import { contextOf, createWorld, expectRejection } from './testing/world.ts';
import { createUser } from './user/create-user.ts';

const ctx = contextOf('shop');

async function withUser() {
  const world = await createWorld();
  const { userId } = await createUser(world.deps, ctx, { project: testProject });
  return { ...world, userId, stream: streamOf.user(userId) };
}
const rename = (displayName: string, at: string) => ({ type: 'RenameUser', displayName, at }) as const;

/** Loses the first `times` appends to somebody else. */
function withConflicts(times: number, store: EventStore): EventStore & { appends: number } {
  const losingStore = {
    ...store,
    appends: 0,
    append: async (...args: Parameters<EventStore['append']>) => {
      losingStore.appends += 1;
      if (losingStore.appends <= times) throw new ConcurrencyError('user-x');
      return store.append(...args);
    },
  };
  return losingStore;
}

test('a command that conflicts is decided again and succeeds on the eighth attempt', async () => {
  const { deps, stream } = await withUser();
  const store = withConflicts(7, deps.store);
  const { position } = await execute({ ...deps, store }, ctx, userDecider, stream, rename('Ann', deps.now()));
  expect({ position, appends: store.appends }).toEqual({ position: await deps.store.head(), appends: 8 });
});

test('the caller gets the error after eight conflicts', async () => {
  const { deps, stream } = await withUser();
  const store = withConflicts(8, deps.store);
  await expect(execute({ ...deps, store }, ctx, userDecider, stream, rename('Ann', deps.now()))).rejects.toThrow(
    ConcurrencyError,
  );
  expect(store.appends).toBe(8);
});

test('any other append error ends the command immediately', async () => {
  const { deps, stream } = await withUser();
  const store = { ...deps.store, append: async () => Promise.reject(new Error('disk full')) };
  await expect(execute({ ...deps, store }, ctx, userDecider, stream, rename('Ann', deps.now()))).rejects.toThrow(
    'disk full',
  );
});

test('20 concurrent writers of one stream all succeed', async () => {
  const { deps, stream } = await withUser();
  const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
  await Promise.all(names.map((name) => execute(deps, ctx, userDecider, stream, rename(name, deps.now()))));
  const { events } = await deps.store.readStream(stream);
  const renamed = events.flatMap(({ type, data }) => (type === 'UserRenamed' ? [data.displayName] : []));
  expect(renamed.toSorted()).toEqual(names.toSorted());
});

test('a command that decides nothing appends nothing', async () => {
  const { deps, stream } = await withUser();
  const { result, position } = await transact(deps, ctx, async ({ load }) => {
    await load(userDecider, stream);
    return 'looked';
  });
  expect({ result, position }).toEqual({ result: 'looked', position: null });
});

test('a command sees its earlier decisions and writes each stream once', async () => {
  const { deps, stream } = await withUser();
  const before = await readState(deps.store, userDecider, stream);
  const seen = await transact(deps, ctx, async ({ load }) => {
    const user = await load(userDecider, stream);
    user.decide(rename('Ann', deps.now()));
    user.decide({ type: 'DeleteUser', addressRefs: [], at: deps.now() });
    return { status: user.state.status, revision: user.revision };
  });
  expect(seen.result).toEqual({ status: 'deleted', revision: before.revision + 2n });
  expect((await readState(deps.store, userDecider, stream)).revision).toBe(before.revision + 2n);
});

test('a rejected command appends nothing', async () => {
  const { deps, stream } = await withUser();
  const head = await deps.store.head();
  const plan = transact(deps, ctx, async ({ load }) => {
    const user = await load(userDecider, stream);
    user.decide(rename('Ann', deps.now()));
    user.decide({
      type: 'UpdatePassword',
      oldPasswordMatches: null,
      passwordHash: 'x',
      keptSessionId: null,
      at: deps.now(),
    });
  });
  await expect(plan).rejects.toThrow('USER_DOES_NOT_HAVE_PASSWORD');
  expect(await deps.store.head()).toBe(head);
});

describe('a write into a deleted project', () => {
  const deleting = async () => {
    const world = await createWorld();
    const { projectId } = await createProject(world.deps, contextOf('internal'), {
      displayName: 'Shop',
      ownerUserId: world.deps.newId(),
      limit: 10,
    });
    return { ...world, shop: contextOf(projectId) };
  };

  test('is rejected', async () => {
    const { deps, shop } = await deleting();
    const { userId } = await createUser(deps, shop, { project: testProject });
    await deleteProject(deps, shop);
    const head = await deps.store.head();
    await expectRejection(createUser(deps, shop, { project: testProject }), 'PROJECT_NOT_FOUND', {
      project_id: shop.projectId,
    });
    const renaming = execute(deps, shop, userDecider, streamOf.user(userId), rename('Ann', deps.now()));
    await expectRejection(renaming, 'PROJECT_NOT_FOUND', { project_id: shop.projectId });
    expect(await deps.store.head()).toBe(head);
  });

  test('is rejected when the project is deleted between decision and append', async () => {
    const { deps, shop } = await deleting();
    const store: EventStore = {
      ...deps.store,
      append: async (...args) => {
        await deleteProject(deps, shop);
        return deps.store.append(...args);
      },
    };
    await expectRejection(createUser({ ...deps, store }, shop, { project: testProject }), 'PROJECT_NOT_FOUND', {
      project_id: shop.projectId,
    });
    expect((await deps.store.readAll(0n, 100)).at(-1)?.type).toBe('ProjectClosed');
  });

  test('does not conflict with a change of its settings', async () => {
    const { deps, shop } = await deleting();
    const attempts: unknown[] = [];
    const store: EventStore = {
      ...deps.store,
      append: async (...args) => {
        attempts.push(args);
        await updateProject(deps, shop, { displayName: 'Store' });
        return deps.store.append(...args);
      },
    };
    await createUser({ ...deps, store }, shop, { project: testProject });
    expect(attempts).toHaveLength(1);
  });
});

test('a command that decides differently after part of it was appended gives up', async () => {
  const { deps, userId, stream } = await withUser();
  const other = await createUser(deps, ctx, { project: testProject });
  const meddling = async () => {
    await execute(deps, ctx, userDecider, streamOf.user(other.userId), rename('Bob', deps.now()));
  };
  let isFirst = true;
  const store: EventStore = {
    ...deps.store,
    append: async (writes, facts) => {
      if (isFirst) {
        isFirst = false;
        await deps.store.append(writes.slice(0, 1), facts);
        await meddling();
        throw new ConcurrencyError(writes[1]?.stream ?? '', [stream]);
      }
      return deps.store.append(writes, facts);
    },
  };
  const copied = transact({ ...deps, store }, ctx, async ({ load }) => {
    const bob = await load(userDecider, streamOf.user(other.userId));
    const name = bob.state.status === 'active' ? bob.state.displayName : null;
    (await load(userDecider, streamOf.user(userId))).decide(rename(`as ${name}`, deps.now()));
    bob.decide(rename('copied', deps.now()));
  });
  await expect(copied).rejects.toBeInstanceOf(ConcurrencyError);
  const { events } = await deps.store.readStream(stream);
  expect(events.map(({ data }) => data.displayName)).toEqual([null, 'as null']);
});
