import { providerGrantDecider } from '@gatebook/domain/provider-grant/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import type { Passkey } from '@gatebook/domain/user/events';
import { describe, expect, test } from 'vitest';
import { createApiKey } from '../api-key/api-key.ts';
import type { WriteDeps } from '../deps.ts';
import { execute, readState, transact } from '../execute.ts';
import { addOAuthAccount } from '../oauth/oauth-accounts.ts';
import { signInWithPassword } from '../password/password.ts';
import { findSignInUser } from '../reservation/email.ts';
import { findOAuthUser } from '../reservation/oauth-account.ts';
import { findPasskeyUser, reservePasskey } from '../reservation/passkey.ts';
import { streamOf } from '../streams.ts';
import { addTeamMember, createTeam } from '../team/team.ts';
import { signUp, testProject } from '../testing/people.ts';
import { contextOf, crashAfter, createWorld, expectRejection } from '../testing/world.ts';
import { deleteUser, eraseUser } from './delete-user.ts';
import { type MergeInput, mergeUsers } from './merge-users.ts';

const ctx = contextOf('shop');
const config = { credentialEnabled: true, signUpEnabled: true };
const credentials = (email: string) => ({ email, password: 'correct horse', config });
const [email, other] = ['ann@example.com', 'ann@example.org'];
const github = { id: 'github', type: 'standard', clientId: 'id' } as const;
const project = { ...testProject, config: { ...testProject.config, oauthProviders: [github] } };
const passkey: Passkey = {
  ...{ credentialId: 'key', publicKey: 'k', counter: 0, transports: [], deviceType: 'singleDevice' },
};

async function withTwo() {
  const world = await createWorld();
  const { deps } = world;
  const { userId } = await signUp(deps, ctx, credentials(email));
  const { userId: duplicateId } = await signUp(deps, ctx, credentials(other));
  const { team } = await createTeam(deps, ctx, { displayName: 'Crew', creatorId: duplicateId, project });
  const { team: both } = await createTeam(deps, ctx, { displayName: 'Both', creatorId: duplicateId, project });
  await addTeamMember(deps, ctx, { project, teamId: both.teamId, userId });
  const account = { provider: 'github', accountId: '7', email: null, allowSignIn: true, allowConnectedAccounts: true };
  await addOAuthAccount(deps, ctx, { userId: duplicateId, project, ...account });
  const { key } = await createApiKey(deps, ctx, {
    ...{ by: null, ownerType: 'user', ownerId: duplicateId, description: 'CI', expiresAt: null, isPublic: false },
  });
  const input: MergeInput = {
    ...{ userId, duplicateId, teamIds: [team.teamId, both.teamId], apiKeyIds: [key.keyId], projectIds: [] },
  };
  return { ...world, ...input, input, teamId: team.teamId };
}

const userOf = async (deps: WriteDeps, userId: string) => {
  const { state } = await readState(deps.store, userDecider, streamOf.user(userId));
  return state;
};
const accountRefOf = async (deps: WriteDeps, userId: string) => {
  const state = await userOf(deps, userId);
  return state.status === 'active' ? (state.oauthAccounts[0]?.accountRef ?? '') : '';
};

describe('merging users', () => {
  test('gives the user who stays everything, and deletes the duplicate', async () => {
    const { deps, input, userId, duplicateId, eventsOf } = await withTwo();
    const { summary } = await mergeUsers(deps, ctx, input);
    expect(summary.moved.map(({ kind }) => kind)).toEqual([
      ...['email', 'connected_account', 'team', 'team_permission', 'team_permission', 'api_key'],
    ]);
    expect((await userOf(deps, duplicateId)).status).toBe('deleted');
    for (const address of [email, other]) {
      expect((await signInWithPassword(deps, ctx, credentials(address))).userId).toBe(userId);
    }
    const accountRef = await accountRefOf(deps, userId);
    expect((await findOAuthUser(deps, accountRef))?.user.userId).toBe(userId);
    expect((await eventsOf('ApiKeyMoved'))[0]?.data).toMatchObject({ ownerId: userId, description: 'CI' });
    expect((await eventsOf('UserDeleted'))[0]?.data).toMatchObject({ userId: duplicateId, mergedIntoId: userId });
    expect((await eventsOf('AddressErased')).length).toBe(0);
  });

  test('erases what was recorded of the duplicate, and with the user who stays what moved', async () => {
    const { deps, input, userId, duplicateId, eventsOf } = await withTwo();
    await mergeUsers(deps, ctx, input);
    const valuesOf = async (id: string) =>
      (await eventsOf('ContactChannelAdded')).filter(({ data }) => data.userId === id).map(({ data }) => data.value);
    expect(await valuesOf(duplicateId)).toEqual([null]);
    expect(await valuesOf(userId)).toEqual([email, other]);
    await eraseUser(deps, ctx, { userId });
    expect(await valuesOf(userId)).toEqual([null, null]);
    expect((await eventsOf('ApiKeyMoved'))[0]?.data.description).toBeNull();
    await signUp(deps, ctx, credentials(other));
  });

  test('is rejected for one user, a deleted user and users of another project', async () => {
    const { deps, input, userId, duplicateId } = await withTwo();
    await expectRejection(mergeUsers(deps, ctx, { ...input, duplicateId: userId }), 'USER_MERGE_WITH_ITSELF');
    await expectRejection(mergeUsers(deps, contextOf('bar'), input), 'USER_NOT_FOUND');
    await deleteUser(deps, ctx, { userId: duplicateId });
    await expectRejection(mergeUsers(deps, ctx, input), 'USER_NOT_FOUND');
  });

  test('stores the tokens of providers again, for the user who stays', async () => {
    const { deps, input, userId, duplicateId, eventsOf } = await withTwo();
    const stream = streamOf.providerGrant(await accountRefOf(deps, duplicateId));
    const accountRef = await accountRefOf(deps, duplicateId);
    for (const scopes of [['email'], ['email', 'repo']]) {
      const tokens = { accessToken: scopes.join(), refreshToken: `refresh ${scopes.join()}`, expiresAt: deps.now() };
      await execute(deps, ctx, providerGrantDecider, stream, {
        ...{ type: 'StoreTokens', accountRef, userId: duplicateId, projectId: 'shop', provider: 'github' },
        ...{ scopes, ...tokens, at: deps.now() },
      });
    }
    const { state: before } = await readState(deps.store, providerGrantDecider, stream);
    await mergeUsers(deps, ctx, input);
    const { state: after } = await readState(deps.store, providerGrantDecider, stream);
    expect(after).toEqual({ ...before, userId });
    await eraseUser(deps, ctx, { userId });
    const tokensLeft = (await eventsOf('ProviderTokensStored')).map(({ data }) => data.accessToken);
    expect(tokensLeft).toEqual([null, null, null, null]);
  });

  test('releases a passkey that the user who stays has no room for', async () => {
    const { deps, input, userId, duplicateId } = await withTwo();
    for (const [holderId, credentialId] of [
      [userId, 'own'],
      [duplicateId, 'key'],
    ] as const) {
      await registerPasskey(deps, holderId, { ...passkey, credentialId });
    }
    await mergeUsers(deps, ctx, input);
    expect((await findPasskeyUser(deps, 'shop', 'own'))?.user.userId).toBe(userId);
    expect(await findPasskeyUser(deps, 'shop', 'key')).toBeNull();
    const { userId: third } = await signUp(deps, ctx, credentials('bob@example.com'));
    await registerPasskey(deps, third, passkey);
  });
});

async function registerPasskey(deps: WriteDeps, userId: string, credential: Passkey): Promise<void> {
  await transact(deps, ctx, async (work) => {
    const at = deps.now();
    await reservePasskey(work, { credentialId: credential.credentialId, holderId: userId, at });
    (await work.load(userDecider, streamOf.user(userId))).decide({ type: 'RegisterPasskey', passkey: credential, at });
  });
}

describe('a merge that was cut off', () => {
  /** How many writes a whole merge has. */
  const countWrites = async () => {
    const { deps, input } = await withTwo();
    let count = 0;
    const append: WriteDeps['store']['append'] = (writes, metadata) => {
      count = writes.filter(({ events }) => events.length > 0).length;
      return deps.store.append(writes, metadata);
    };
    await mergeUsers({ ...deps, store: { ...deps.store, append } }, ctx, input);
    return count;
  };

  test('after any write leaves nobody locked out, and is completed by the next one', async () => {
    const total = await countWrites();
    expect(total).toBeGreaterThan(5);
    for (let kept = 0; kept < total; kept += 1) {
      const { deps, input, userId, duplicateId, eventsOf } = await withTwo();
      const accountRef = await accountRefOf(deps, duplicateId);
      await expect(mergeUsers(crashAfter(kept, deps), ctx, input)).rejects.toThrow('the process died');
      for (const address of [email, other]) {
        const found = await findSignInUser(deps, 'shop', address);
        expect([userId, duplicateId], `${address} after ${kept} writes`).toContain(found?.user.userId);
      }
      expect(await findOAuthUser(deps, accountRef), `account after ${kept} writes`).not.toBeNull();
      await mergeUsers(deps, ctx, input);
      expect((await userOf(deps, duplicateId)).status).toBe('deleted');
      expect((await findSignInUser(deps, 'shop', other))?.user.userId).toBe(userId);
      expect((await findOAuthUser(deps, accountRef))?.user.userId).toBe(userId);
      expect((await eventsOf('ApiKeyMoved')).map(({ data }) => data.ownerId)).toEqual([userId]);
      expect((await eventsOf('TeamMemberAdded')).filter(({ data }) => data.userId === userId)).toHaveLength(2);
      expect(await userOf(deps, userId)).toMatchObject({ oauthAccounts: [{ accountRef }] });
    }
  });

  test('before the erasure is completed by a second one, which is rejected', async () => {
    const { deps, input, eventsOf, duplicateId } = await withTwo();
    const eraseSubject = () => Promise.reject(new Error('the process died'));
    await expect(mergeUsers({ ...deps, eraseSubject }, ctx, input)).rejects.toThrow('the process died');
    await expectRejection(mergeUsers(deps, ctx, input), 'USER_NOT_FOUND');
    const own = (await eventsOf('ContactChannelAdded')).find(({ data }) => data.userId === duplicateId);
    expect(own?.data.value).toBeNull();
  });
});
