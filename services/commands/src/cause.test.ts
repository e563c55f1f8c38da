import { userDecider } from '@gatebook/domain/user/decide';
import { expect, test } from 'vitest';
import { findCause } from './cause.ts';
import { execute } from './execute.ts';
import { streamOf } from './streams.ts';
import { testProject as project } from './testing/people.ts';
import { contextOf, createWorld } from './testing/world.ts';
import { createUser } from './user/create-user.ts';

const ctx = contextOf('shop');

test('the cause of a job is the newest event of its stream, read without the others', async () => {
  const { deps } = await createWorld();
  const { userId } = await createUser(deps, ctx, { project, displayName: 'Ann' });
  const stream = streamOf.user(userId);
  const at = deps.now();
  for (const displayName of ['Bea', 'Cleo']) {
    await execute(deps, { ...ctx, requestId: displayName }, userDecider, stream, {
      type: 'RenameUser',
      displayName,
      at,
    });
  }
  const newest = (await deps.store.readStream(stream)).events.at(-1);
  let read = 0;
  const store = {
    ...deps.store,
    readStream: async <E extends never>(...call: Parameters<typeof deps.store.readStream>) => {
      const found = await deps.store.readStream<E>(...call);
      read += found.events.length;
      return found;
    },
    readStreamPages: async function* (...call: Parameters<typeof deps.store.readStreamPages>) {
      for await (const page of deps.store.readStreamPages(...call)) {
        read += page.length;
        yield page;
      }
    },
  };
  const cause = { eventId: newest?.id, correlationId: 'Cleo' };
  expect(await findCause({ store }, stream)).toEqual({ cause });
  expect(read).toBe(1);
  expect(await findCause({ store }, streamOf.user('nobody'))).toEqual({});
});
