import { describe, expect, test } from 'vitest';
import { createTeam } from '../team/team.ts';
import { testProject as project, signUp } from '../testing/people.ts';
import { contextOf, crashBefore, createWorld, expectRejection, to } from '../testing/world.ts';
import { findUser } from '../user/load-user.ts';

const ctx = contextOf('shop');

async function withCreator() {
  const world = await createWorld();
  const { userId: creatorId } = await signUp(world.deps, ctx, { email: 'ann@example.com', password: 'correct horse' });
  await findUser(world.deps, ctx, creatorId);
  const create = (limit: number | undefined, deps = world.deps) =>
    createTeam(deps, ctx, { displayName: 'Crew', creatorId, project, limit });
  return { ...world, create };
}

describe('a quota', () => {
  test('rejects an item above the limit, with the name and limit of the quota', async () => {
    const { create } = await withCreator();
    await create(1);
    await expectRejection(create(1), 'QUOTA_EXCEEDED', { quota: 'teamsPerUser', limit: 1 });
    await create(2);
  });

  test('holds under 20 concurrent creations', async () => {
    const { create, eventsOf } = await withCreator();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => create(3)));
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(3);
    expect((await eventsOf('TeamCreated')).length).toBeLessThanOrEqual(3);
  });

  test('without a limit neither counts nor rejects items', async () => {
    const { create, eventsOf } = await withCreator();
    await create(undefined);
    expect(await eventsOf('QuotaItemAdded')).toEqual([]);
    await create(1);
  });

  test('frees after a minute an item whose creation crashed', async () => {
    const { deps, clock, create } = await withCreator();
    await expect(create(1, crashBefore(to('team'), deps))).rejects.toThrow('the process died');
    await expectRejection(create(1), 'QUOTA_EXCEEDED', { quota: 'teamsPerUser', limit: 1 });
    clock.advance(60_000);
    await create(1);
    await expectRejection(create(1), 'QUOTA_EXCEEDED', { quota: 'teamsPerUser', limit: 1 });
  });
});
