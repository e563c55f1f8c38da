import { newEmail, password } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';
import { serverAccountCases } from './connected-accounts.ts';
import { expectOk, idsOf, newPermissionId } from './expectations.ts';
import { type Cases, defect, isUpTo, type Kind, upTo } from './kinds.ts';
import { customerCases } from './shared-user-payments.ts';
import { channelCases, profileCases } from './shared-user-profile.ts';
import { teamCases } from './shared-user-teams.ts';
import type { MakeSubject } from './subject.ts';
import { quietly, type World } from './world.ts';

async function created(world: World) {
  const email = newEmail();
  const app = world.serverApp();
  const displayName = 'Ann';
  const user = await app.createUser({ primaryEmail: email, primaryEmailAuthEnabled: true, password, displayName });
  return { app, email, user, reload: () => app.getUser(user.id) };
}

const asServer: MakeSubject = async (world) => {
  const { user, email, reload } = await created(world);
  type Shared = Awaited<ReturnType<MakeSubject>>;
  return { user, email, reload } as unknown as Shared;
};

const updateCases: Cases = {
  update: async (world) => {
    const { user, reload } = await created(world);
    await user.update({ displayName: 'Eve', serverMetadata: { plan: 'paid' }, clientReadOnlyMetadata: { seats: 2 } });
    const changed = { displayName: 'Eve', serverMetadata: { plan: 'paid' }, clientReadOnlyMetadata: { seats: 2 } };
    expect(await reload()).toMatchObject(changed);
  },
  setPrimaryEmail: async (world) => {
    const { user, reload } = await created(world);
    const email = newEmail();
    await user.setPrimaryEmail(email, { verified: true });
    expect(await reload()).toMatchObject({ primaryEmail: email, primaryEmailVerified: true });
  },
  setServerMetadata: async (world) => {
    const { user, reload } = await created(world);
    await user.setServerMetadata({ plan: 'free' });
    expect(await reload()).toMatchObject({ serverMetadata: { plan: 'free' } });
  },
  setClientReadOnlyMetadata: async (world) => {
    const { user, reload } = await created(world);
    await user.setClientReadOnlyMetadata({ seats: 2 });
    expect(await reload()).toMatchObject({ clientReadOnlyMetadata: { seats: 2 } });
  },
  setPassword: async (world) => {
    const { email, user } = await created(world);
    await user.setPassword({ password: 'a password by the server' });
    const app = world.clientApp();
    expectOk(await app.signInWithCredential({ email, password: 'a password by the server', ...quietly }));
  },
  updatePassword: defect('sends the request without a user', async (world) => {
    const { user } = await created(world);
    const change = user.updatePassword({ oldPassword: password, newPassword: 'another password' });
    await expect(change).rejects.toThrow('auth.user is required');
  }),
  sendVerificationEmail: defect('rejects every call as unsupported for server users', async (world) => {
    const { user } = await created(world);
    await expect(user.sendVerificationEmail()).rejects.toThrow('not supported');
  }),
};

const sessionCases: Cases = {
  createSession: async (world) => {
    const { user } = await created(world);
    const session = await user.createSession({ expiresInMillis: 3_600_000, isImpersonation: true });
    const { accessToken, refreshToken } = await session.getTokens();
    const tokenStore = { accessToken: accessToken ?? '', refreshToken: refreshToken ?? '' };
    expect(await world.clientApp({ tokenStore }).getUser()).toMatchObject({ id: user.id });
    return session;
  },
  getActiveSessions: upTo(
    '2.8.39',
    defect('takes the response for a list', async (world) => {
      const { user } = await created(world);
      await expect(user.getActiveSessions()).rejects.toThrow('map is not a function');
    }),
    async (world) => {
      const { user } = await created(world);
      await user.createSession({});
      const sessions = await user.getActiveSessions();
      expect(sessions).toMatchObject([{ userId: user.id, isImpersonation: false }]);
      return sessions;
    },
  ),
  revokeSession: async (world) => {
    const { user } = await created(world);
    const { accessToken, refreshToken } = await (await user.createSession({})).getTokens();
    const claims = JSON.parse(Buffer.from(accessToken?.split('.')[1] ?? '', 'base64url').toString());
    await user.revokeSession(claims.refreshTokenId);
    const tokenStore = { accessToken: accessToken ?? '', refreshToken: refreshToken ?? '' };
    expect(await world.clientApp({ tokenStore }).getUser()).toBeNull();
  },
};

const permissionCases: Cases = {
  grantPermission: async (world) => {
    const { user } = await created(world);
    const team = await world.serverApp().createTeam({ displayName: 'Crew' });
    await team.addUser(user.id);
    await user.grantPermission(team, '$update_team');
    expect(idsOf(await user.listPermissions(team, { recursive: false }))).toEqual(['$update_team', 'team_member']);
    await expect(user.grantPermission(team, 'unknown')).rejects.toMatchObject({ errorCode: 'PERMISSION_NOT_FOUND' });
    if (isUpTo('2.8.3', world.version)) return;
    const id = newPermissionId();
    await world.adminApp().createProjectPermissionDefinition({ id, containedPermissionIds: [] });
    await user.grantPermission(id);
    expect(idsOf(await user.listPermissions())).toEqual([id]);
  },
  revokePermission: async (world) => {
    const { user } = await created(world);
    const team = await world.serverApp().createTeam({ displayName: 'Crew' });
    await team.addUser(user.id);
    await user.grantPermission(team, '$update_team');
    await user.revokePermission(team, '$update_team');
    expect(await user.hasPermission(team, '$update_team')).toBe(false);
    await expect(user.revokePermission(team, '$update_team')).rejects.toMatchObject({
      errorCode: 'TEAM_PERMISSION_NOT_FOUND',
    });
  },
};

const serverUser: Kind = {
  name: 'ServerUser',
  sample: async (world) => (await created(world)).user,
  cases: {
    ...profileCases(asServer),
    ...updateCases,
    ...sessionCases,
    ...permissionCases,
    ...channelCases(asServer),
    ...teamCases(asServer),
    ...serverAccountCases,
    leaveTeam: defect('sends the request with client access and without a session', async (world) => {
      const { user } = await created(world);
      const team = await user.createTeam({ displayName: 'Band' });
      await expect(user.leaveTeam(team)).rejects.toMatchObject({ errorCode: 'CANNOT_GET_OWN_USER_WITHOUT_USER' });
    }),
    linkConnectedAccount: defect('throws: users link accounts themselves, in a browser', async (world) => {
      const { user } = await created(world);
      await expect(user.linkConnectedAccount('github')).rejects.toThrow('not available for server users');
    }),
    getOrLinkConnectedAccount: defect('throws: users link accounts themselves, in a browser', async (world) => {
      const { user } = await created(world);
      await expect(user.getOrLinkConnectedAccount('github')).rejects.toThrow('not available for server users');
    }),
    ...customerCases(async (world) => (await created(world)).user),
  },
};

const serverSession: Kind = {
  name: 'Session of a ServerUser',
  sample: async (world) => (await created(world)).user.createSession({}),
  cases: {
    getTokens: async (world) => {
      const session = await (await created(world)).user.createSession({});
      const tokens = {
        accessToken: expect.stringMatching(/^ey/),
        refreshToken: expect.stringMatching(/^[0-9a-z]{45}$/),
      };
      expect(await session.getTokens()).toEqual(tokens);
    },
  },
};

export const serverUserKinds = [serverUser, serverSession];
