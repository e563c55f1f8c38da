import { projectKeyDecider } from '@gatebook/domain/project-key/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import { describe, expect, test } from 'vitest';
import type { Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { createProjectKey } from '../project-key/project-key.ts';
import { streamOf } from '../streams.ts';
import { createTeam, updateTeam } from '../team/team.ts';
import { testProject as project } from '../testing/people.ts';
import { contextOf, crashAfter, createWorld, expectRejection } from '../testing/world.ts';
import { changeContactChannel, removeContactChannel } from '../user/contact-channel.ts';
import { createUser } from '../user/create-user.ts';
import { findUser } from '../user/load-user.ts';
import { updateUser } from '../user/update-user.ts';
import { type Action, undoAction } from './undo-action.ts';

const request = (requestId: string): Context => ({ ...contextOf('shop'), requestId });
const email = 'ann@example.com';

async function withAnn() {
  const world = await createWorld();
  const { deps } = world;
  const signIn = { primaryEmail: email, primaryEmailVerified: true, primaryEmailAuthEnabled: true };
  const { userId } = await createUser(deps, request('create'), { project, displayName: 'Ann', ...signIn });
  const [channel] = (await findUser(deps, request('read'), userId)).channels;
  const actionOf = async (id: string): Promise<Action> => {
    const events = await deps.store.readAll(0n, 1_000);
    return { id, events: events.filter(({ metadata }) => metadata.requestId === id), hasMoreEvents: false };
  };
  const undo = async (id: string, by: WriteDeps = deps, requestId = 'undo') =>
    undoAction(by, request(requestId), { action: await actionOf(id), project });
  const ann = async () => (await findUser(deps, request('read'), userId)).channels;
  return { ...world, userId, channelId: channel?.id ?? '', actionOf, undo, ann };
}

describe('check 24: an interrupted undo', () => {
  test.each([0, 1])('of a removed address, after %i of its writes, can be done again', async (kept) => {
    const { deps, userId, channelId, undo, ann } = await withAnn();
    const before = await ann();
    await removeContactChannel(deps, request('remove'), { userId, channelId });
    await expect(undo('remove', crashAfter(kept, deps))).rejects.toThrow('the process died');
    expect(await ann()).toEqual([]);
    await undo('remove');
    expect(await ann()).toEqual(before.map((channel) => ({ ...channel, unverifiedSince: expect.anything() })));
    await expectRejection(undo('remove', deps, 'again'), 'ACTION_ALREADY_UNDONE', { by_action_id: 'undo' });
  });

  test.each([0, 1])('of two objects, after %i of its writes, can be completed', async (kept) => {
    const { deps, userId, undo } = await withAnn();
    const { team } = await createTeam(deps, request('team'), { project, displayName: 'Crew', creatorId: null });
    const { teamId } = team;
    await updateUser(deps, request('rename'), { userId, project, displayName: 'Bob' });
    await updateTeam(deps, request('rename'), { teamId, by: null, displayName: 'Band' });
    await expect(undo('rename', crashAfter(kept, deps))).rejects.toThrow('the process died');
    await undo('rename', deps, 'second');
    expect((await findUser(deps, request('read'), userId)).displayName).toBe('Ann');
    const [last] = (await deps.store.readStream(streamOf.team(teamId))).events.slice(-1);
    expect(last?.data).toMatchObject({ displayName: 'Crew' });
    await expectRejection(undo('rename', deps, 'third'), 'ACTION_ALREADY_UNDONE', { by_action_id: 'second' });
  });
});

test('check 24: an undo of an earlier end of a project key restores the later one', async () => {
  const { deps, undo } = await withAnn();
  const expiresAt = '2099-01-01T00:00:00.000Z';
  const kinds = { hasPublishableClientKey: true, hasSecretServerKey: false, hasSuperSecretAdminKey: false };
  const { keyId } = await createProjectKey(deps, request('key'), { description: 'website', expiresAt, ...kinds });
  const endOfKey = async () => (await readState(deps.store, projectKeyDecider, streamOf.projectKey(keyId))).state;
  await transact(deps, request('end'), async (work) => {
    const key = await work.load(projectKeyDecider, streamOf.projectKey(keyId));
    const [projectId, at] = [work.ctx.projectId, deps.now()];
    key.decide({ type: 'ChangeProjectKeyExpiry', projectId, expiresAt: '2050-01-01T00:00:00.000Z', at });
  });
  expect(await endOfKey()).toMatchObject({ expiresAt: '2050-01-01T00:00:00.000Z' });
  await undo('end');
  expect(await endOfKey()).toMatchObject({ expiresAt });
});

test('an undo names the event that it takes back as its cause, and is an action of its own', async () => {
  const { deps, userId, actionOf, undo } = await withAnn();
  await updateUser(deps, request('rename'), { userId, project, displayName: 'Bob' });
  await undo('rename');
  const [renamed] = (await actionOf('rename')).events;
  const [undone] = (await actionOf('undo')).events;
  expect(undone?.metadata).toMatchObject({ causationId: renamed?.id, correlationId: 'undo', requestId: 'undo' });
});

test('an action of which only the first events were read can not be undone', async () => {
  const { deps, userId, actionOf } = await withAnn();
  await updateUser(deps, request('rename'), { userId, project, displayName: 'Bob' });
  const action = { ...(await actionOf('rename')), hasMoreEvents: true };
  const reasons = ['The action has too many events.'];
  await expectRejection(undoAction(deps, request('undo'), { action, project }), 'ACTION_NOT_REVERSIBLE', { reasons });
});

test('a change between the reads of an undo lets it decide again', async () => {
  const { deps, userId, channelId, undo } = await withAnn();
  await updateUser(deps, request('rename'), { userId, project, displayName: 'Bob' });
  let isChanged = false;
  const foldStream: typeof deps.store.foldStream = async (stream, ...how) => {
    const found = await deps.store.foldStream(stream, ...how);
    if (stream === streamOf.user(userId) && !isChanged) {
      isChanged = true;
      await updateUser(deps, request('again'), { userId, project, displayName: 'Eve' });
      await changeContactChannel(deps, request('again'), { userId, channelId, isVerified: false });
    }
    return found;
  };
  const rejection = await undo('rename', { ...deps, store: { ...deps.store, foldStream } }).catch((error) => error);
  expect(rejection).toMatchObject({
    code: 'UNDO_CONFLICT',
    details: { conflicts: [{ path: ['display_name'], restored: 'Ann', current: 'Eve' }] },
  });
  const { state } = await readState(deps.store, userDecider, streamOf.user(userId));
  expect(state).toMatchObject({ displayName: 'Eve' });
});
