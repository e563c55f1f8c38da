import { newEmail, password } from '@gatebook/api/testing/requests';
import type * as newest from 'stack-js-2-8-108';
import { expect } from 'vitest';
import { addVirtualAuthenticator } from '../../testing/virtual-authenticator.ts';
import { openPage } from './browsing.ts';
import { connectedAccountCases } from './connected-accounts.ts';
import { expectOk } from './expectations.ts';
import { type Cases, defectInBrowser, type Kind } from './kinds.ts';
import { customerCases } from './shared-user-payments.ts';
import { channelCases, profileCases } from './shared-user-profile.ts';
import { teamCases } from './shared-user-teams.ts';
import type { MakeSubject } from './subject.ts';
import { type ClientApp, page, quietly, type World } from './world.ts';

const asClient: MakeSubject = async (world) => {
  const { app, email, user } = await world.signedUp();
  return { user, email, reload: () => app.getUser() };
};

type WithSession = (world: World) => Promise<{ app: ClientApp; email: string; user: newest.CurrentUser }>;

/** What only a signed-in user has, at a client or at a server. */
const sessionCases = (make: WithSession): Cases => ({
  signOut: async (world) => {
    const { app, user } = await make(world);
    await user.signOut();
    expect(await app.getUser()).toBeNull();
  },
  getAccessToken: async (world) => {
    const { user } = await make(world);
    expect(await user.getAccessToken()).toMatch(/^ey/);
  },
  getRefreshToken: async (world) => {
    const { user } = await make(world);
    expect(await user.getRefreshToken()).toMatch(/^[0-9a-z]{45}$/);
  },
  getAuthHeaders: async (world) => {
    const { user } = await make(world);
    const headers = new Headers(await user.getAuthHeaders());
    expect(await world.serverApp({ tokenStore: { headers } }).getUser()).toMatchObject({ id: user.id });
  },
  getAuthorizationHeader: async (world) => {
    const { user } = await make(world);
    const headers = new Headers({ authorization: (await user.getAuthorizationHeader()) ?? '' });
    expect(await world.serverApp({ tokenStore: { headers } }).getUser()).toMatchObject({ id: user.id });
  },
  getAuthJson: async (world) => {
    const { user } = await make(world);
    const tokenStore = await user.getAuthJson();
    expect(await world.clientApp({ tokenStore }).getUser()).toMatchObject({ id: user.id });
  },
});

const passwordCases: Cases = {
  updatePassword: async (world) => {
    const { app, email, user } = await world.signedUp();
    const other = world.clientApp();
    expectOk(await other.signInWithCredential({ email, password, ...quietly }));
    const wrong = await user.updatePassword({ oldPassword: 'not this one', newPassword: 'another password' });
    expect(wrong).toMatchObject({ errorCode: 'PASSWORD_CONFIRMATION_MISMATCH' });
    expect(await user.updatePassword({ oldPassword: password, newPassword: 'another password' })).toBeUndefined();
    expect(await app.getUser()).toMatchObject({ id: user.id });
    expect(await other.getUser()).toBeNull();
  },
  setPassword: async (world) => {
    const app = world.clientApp();
    const email = newEmail();
    await app.sendMagicLinkEmail(email, { callbackUrl: page('magic-link-callback') });
    expectOk(await app.signInWithMagicLink(await world.codeFor(email), { noRedirect: true }));
    const user = await app.getUser({ or: 'throw' });
    expect(await user.setPassword({ password: 'short' })).toMatchObject({ errorCode: 'PASSWORD_TOO_SHORT' });
    expect(await user.setPassword({ password })).toBeUndefined();
    expectOk(await world.clientApp().signInWithCredential({ email, password, ...quietly }));
  },
};

const activeSessionCases: Cases = {
  getActiveSessions: async (world) => {
    const { email, user } = await world.signedUp();
    expectOk(await world.clientApp().signInWithCredential({ email, password, ...quietly }));
    const sessions = await user.getActiveSessions();
    expect(sessions.map(({ isCurrentSession }) => isCurrentSession).sort()).toEqual([false, true]);
    return sessions;
  },
  revokeSession: async (world) => {
    const { email, user } = await world.signedUp();
    const other = world.clientApp();
    expectOk(await other.signInWithCredential({ email, password, ...quietly }));
    for (const { id, isCurrentSession } of await user.getActiveSessions()) {
      const revoked = user.revokeSession(id);
      if (isCurrentSession) await expect(revoked).rejects.toMatchObject({ errorCode: 'CANNOT_DELETE_CURRENT_SESSION' });
      else await revoked;
    }
    expect(await user.getActiveSessions()).toHaveLength(1);
    expect(await other.getUser()).toBeNull();
  },
};

const currentUser: Kind = {
  name: 'CurrentUser',
  sample: async (world) => (await world.signedUp()).user,
  cases: {
    ...profileCases(asClient),
    ...passwordCases,
    ...sessionCases((world) => world.signedUp()),
    ...activeSessionCases,
    ...channelCases(asClient),
    ...teamCases(asClient),
    ...connectedAccountCases,
    ...customerCases(async (world) => (await world.signedUp()).user),
  },
};

const currentServerUser: Kind = {
  name: 'CurrentServerUser',
  sample: async (world) => (await world.signedUpAtServer()).user,
  extends: (world) => world.serverApp().createUser({ displayName: 'Ann' }),
  cases: {
    ...sessionCases((world) => world.signedUpAtServer()),
    // Newer versions have it on every server user.
    registerPasskey: defectInBrowser('registers the passkey, then calls itself without end', async (world) => {
      const { app, user } = await world.signedUpAtServer();
      const { accessToken, refreshToken } = await user.getAuthJson();
      const page = await openPage(world);
      await addVirtualAuthenticator(page);
      const registered = page.evaluate(
        async (tokenStore) => {
          const options = { ...window.settings, tokenStore, redirectMethod: 'window' } as const;
          const found = await new window.library.StackServerApp(options).getUser({ or: 'throw' });
          return found.registerPasskey();
        },
        { accessToken: accessToken ?? '', refreshToken: refreshToken ?? '' },
      );
      await expect(registered).rejects.toThrow('Maximum call stack size exceeded');
      expect(await app.getUser(user.id)).toMatchObject({ passkeyAuthEnabled: true });
    }),
  },
};

const session: Kind = {
  name: 'Session',
  sample: async (world) => (await world.signedUp()).user.currentSession,
  cases: {
    getTokens: async (world) => {
      const { app, user } = await world.signedUp();
      const before = await user.currentSession.getTokens();
      expect(before).toEqual({ accessToken: expect.stringMatching(/^ey/), refreshToken: expect.any(String) });
      await user.signOut();
      expect(await app.getUser()).toBeNull();
    },
  },
};

export const currentUserKinds = [currentUser, currentServerUser, session];
