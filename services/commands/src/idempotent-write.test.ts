import { userDecider } from '@gatebook/domain/user/decide';
import { describe, expect, test } from 'vitest';
import { issueCode, presentCode } from './code/code.ts';
import type { Context } from './deps.ts';
import { readState } from './execute.ts';
import { streamOf } from './streams.ts';
import { testProject } from './testing/people.ts';
import { contextOf, crashAfter, createWorld, expectRejection } from './testing/world.ts';
import { createUser } from './user/create-user.ts';
import { updateUser } from './user/update-user.ts';

const idempotencyHash = 'hash-of-scope-and-key';
const ctx = contextOf('shop');
const asked = (requestId: string): Context => ({ ...ctx, requestId, idempotencyHash });
const ann = { project: testProject, displayName: 'Ann' };

describe('a write with an idempotency key', () => {
  test('records its decision last in its own append; a write without a key does not', async () => {
    const { deps, typesAfter, eventsOf } = await createWorld();
    await createUser(deps, ctx, ann);
    expect(await eventsOf('RequestDecided')).toEqual([]);
    const before = await deps.store.head();
    await createUser(deps, asked('a'), ann);
    const types = await typesAfter(before);
    expect(types[0]).toBe('UserCreated');
    expect(types.at(-1)).toBe('RequestDecided');
    expect((await eventsOf('RequestDecided'))[0]?.data).toEqual({ requestId: 'a', at: deps.now() });
  });

  test('does not record a decision when nothing changed', async () => {
    const { deps, eventsOf } = await createWorld();
    const { userId } = await createUser(deps, ctx, ann);
    const { position } = await updateUser(deps, asked('a'), { userId, project: testProject });
    expect(position).toBeNull();
    expect(await eventsOf('RequestDecided')).toEqual([]);
  });

  test('does not record a decision when only a code was presented', async () => {
    const { deps, eventsOf } = await createWorld();
    const { code } = await issueCode(deps, ctx, { purpose: 'sign_in', lifeMs: 1000 });
    await presentCode(deps, asked('a'), { code, purpose: 'sign_in' });
    expect(await eventsOf('CodeAttempted')).toHaveLength(1);
    expect(await eventsOf('RequestDecided')).toEqual([]);
  });

  test('can consist of several appends', async () => {
    const { deps, eventsOf } = await createWorld();
    const { userId } = await createUser(deps, asked('a'), ann);
    await updateUser(deps, asked('a'), { userId, project: testProject, displayName: 'Bob' });
    const { state } = await readState(deps.store, userDecider, streamOf.user(userId));
    expect(state.status).toBe('active');
    expect(await eventsOf('UserRenamed')).toHaveLength(1);
    expect(await eventsOf('RequestDecided')).toHaveLength(1);
  });

  test('runs when it is repeated after a crash before its append', async () => {
    const { deps, eventsOf } = await createWorld();
    await expect(createUser(crashAfter(0, deps), asked('a'), ann)).rejects.toThrow('the process died');
    await createUser(deps, asked('b'), ann);
    expect(await eventsOf('UserCreated')).toHaveLength(1);
  });

  test('is not run again after a crash after its append', async () => {
    const { deps, eventsOf } = await createWorld();
    const all = Number.POSITIVE_INFINITY;
    await expect(createUser(crashAfter(all, deps), asked('a'), ann)).rejects.toThrow('the process died');
    await expectRejection(createUser(deps, asked('b'), ann), 'RESPONSE_LOST');
    expect(await eventsOf('UserCreated')).toHaveLength(1);
  });

  test('runs once when 10 processes repeat it concurrently', async () => {
    const { deps, eventsOf } = await createWorld();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, nth) => createUser(deps, asked(`request ${nth}`), ann)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await eventsOf('UserCreated')).toHaveLength(1);
  });

  test('runs again after a day', async () => {
    const { deps, clock, eventsOf } = await createWorld();
    await createUser(deps, asked('a'), ann);
    clock.advance(24 * 60 * 60_000 + 1);
    await createUser(deps, asked('b'), ann);
    expect(await eventsOf('UserCreated')).toHaveLength(2);
    await expectRejection(createUser(deps, asked('c'), ann), 'RESPONSE_LOST');
  });
});
