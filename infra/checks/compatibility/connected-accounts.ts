import { newEmail } from '@gatebook/api/testing/requests';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { addVirtualAuthenticator } from '../../testing/virtual-authenticator.ts';
import { leave, openPage, openSignedUp, signInAtSimulator, waitForText } from './browsing.ts';
import { expectOk } from './expectations.ts';
import { type Cases, inBrowser, type Kind, upTo } from './kinds.ts';
import type { World } from './world.ts';

/** Signs up, links an account of the provider with its own keys, and returns to the app. */
async function openLinked(world: World): Promise<{ page: Page; email: string }> {
  const { page, email } = await openSignedUp(world);
  await leave(page, async () => {
    const user = await window.app.getUser({ or: 'throw' });
    void user.getConnectedAccount('github', { or: 'redirect' });
  });
  await signInAtSimulator(page, newEmail());
  await waitForText(page, `signed in as ${email}`);
  return { page, email };
}

async function expectProviderAccepts(world: World, accessToken: string | undefined): Promise<void> {
  const response = await fetch(`${world.simulatorUrl}/me`, { headers: { authorization: `Bearer ${accessToken}` } });
  expect(response.status).toBe(200);
}

/** The same account, at a client that the linked user is signed in to. */
async function linkedUser(world: World) {
  const { page } = await openLinked(world);
  const tokenStore = await page.evaluate(async () => (await window.app.getUser({ or: 'throw' })).getAuthJson());
  const user = await world.clientApp({ tokenStore }).getUser({ or: 'throw' });
  return { page, user };
}

export const connectedAccountCases: Cases = {
  getConnectedAccount: inBrowser(async (world) => {
    const { page, user } = await linkedUser(world);
    const providers = await page.evaluate(async () => {
      const { oauthProviders } = await window.app.getUser({ or: 'throw' });
      return oauthProviders.map(({ id }) => id);
    });
    expect(providers).toEqual(['github']);
    const account = await user.getConnectedAccount('github');
    await expectProviderAccepts(world, (await account?.getAccessToken())?.accessToken);
    const { user: other } = await world.signedUp();
    expect(await other.getConnectedAccount('github')).toBeNull();
    return account;
  }),
  listConnectedAccounts: inBrowser(async (world) => {
    const { user } = await linkedUser(world);
    const accounts = await user.listConnectedAccounts();
    expect(accounts).toMatchObject([{ provider: 'github', providerAccountId: expect.any(String) }]);
    const { provider, providerAccountId } = accounts[0] ?? { provider: '', providerAccountId: '' };
    expect(await user.getConnectedAccount({ provider, providerAccountId })).toMatchObject({ provider: 'github' });
    return accounts;
  }),
  linkConnectedAccount: inBrowser(async (world) => {
    const { page, email } = await openSignedUp(world);
    await leave(page, async () => {
      const user = await window.app.getUser({ or: 'throw' });
      void user.linkConnectedAccount('github');
    });
    await signInAtSimulator(page, newEmail());
    await waitForText(page, `signed in as ${email}`);
    const linked = await page.evaluate(async () => (await window.app.getUser({ or: 'throw' })).listConnectedAccounts());
    expect(linked).toHaveLength(1);
  }),
  getOrLinkConnectedAccount: inBrowser(async (world) => {
    const { page, email } = await openSignedUp(world);
    const getOrLink = async () => {
      const user = await window.app.getUser({ or: 'throw' });
      return (await user.getOrLinkConnectedAccount('github')).provider;
    };
    await leave(
      page,
      () => void window.app.getUser({ or: 'throw' }).then((user) => user.getOrLinkConnectedAccount('github')),
    );
    await signInAtSimulator(page, newEmail());
    await waitForText(page, `signed in as ${email}`);
    expect(await page.evaluate(getOrLink)).toBe('github');
  }),
  listOAuthProviders: inBrowser(async (world) => {
    const { user } = await linkedUser(world);
    const providers = await user.listOAuthProviders();
    expect(providers).toMatchObject([{ type: 'github', userId: user.id, allowConnectedAccounts: true }]);
    return providers;
  }),
  getOAuthProvider: inBrowser(async (world) => {
    const { user } = await linkedUser(world);
    const [provider] = await user.listOAuthProviders();
    expect(await user.getOAuthProvider(provider?.id ?? '')).toMatchObject({ type: 'github' });
    expect(await user.getOAuthProvider('unknown')).toBeNull();
  }),
  registerPasskey: inBrowser(async (world) => {
    const { page } = await openSignedUp(world);
    await addVirtualAuthenticator(page);
    const result = await page.evaluate(async () => {
      const user = await window.app.getUser({ or: 'throw' });
      const { status } = await user.registerPasskey();
      return { status, isEnabled: (await window.app.getUser())?.passkeyAuthEnabled };
    });
    expect(result).toEqual({ status: 'ok', isEnabled: true });
  }),
  sendVerificationEmail: inBrowser(async (world) => {
    const { page, email } = await openSignedUp(world);
    const send = () =>
      page.evaluate(async () => {
        const user = await window.app.getUser({ or: 'throw' });
        return (await user.sendVerificationEmail())?.errorCode;
      });
    const first = await world.codeFor(email);
    expect(await send()).toBeUndefined();
    const code = await world.codeFor(email);
    expect(code).not.toBe(first);
    expectOk(await world.clientApp().verifyEmail(code));
    await page.reload();
    expect(await send()).toBe('EMAIL_ALREADY_VERIFIED');
  }),
};

async function createdProvider(world: World) {
  const app = world.serverApp();
  if (!('createOAuthProvider' in app)) return null;
  const user = await app.createUser({ displayName: 'Ann' });
  const account = { accountId: newEmail(), email: newEmail(), providerConfigId: 'github' };
  const options = { ...account, userId: user.id, allowSignIn: true, allowConnectedAccounts: true };
  const created = await app.createOAuthProvider(options);
  return { user, options, provider: expectOk<OAuthProvider>(created) };
}
type Created = Awaited<ReturnType<ReturnType<World['serverApp']>['createOAuthProvider']>>;
type OAuthProvider = Extract<Created, { status: 'ok' }>['data'];

const oauthConnection: Kind = {
  name: 'OAuthConnection',
  isInBrowser: true,
  sample: async (world) => (await linkedUser(world)).user.getConnectedAccount('github'),
  cases: {
    getAccessToken: upTo(
      '2.8.50',
      inBrowser(async (world) => {
        const { user } = await linkedUser(world);
        const account = await user.getConnectedAccount('github');
        await expectProviderAccepts(world, (await account?.getAccessToken())?.accessToken);
      }),
      inBrowser(async (world) => {
        const { user } = await linkedUser(world);
        const [account] = await user.listConnectedAccounts();
        const result = await account?.getAccessToken();
        await expectProviderAccepts(world, result?.status === 'ok' ? result.data.accessToken : undefined);
        const missing = await account?.getAccessToken({ scopes: ['never:granted'] });
        expect(missing).toMatchObject({ status: 'error', error: { errorCode: 'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE' } });
      }),
    ),
  },
};

const oauthProvider: Kind = {
  name: 'OAuthProvider',
  sample: async (world) => (await createdProvider(world))?.provider ?? null,
  cases: {
    update: async (world) => {
      const created = await createdProvider(world);
      const [listed] = (await created?.user.listOAuthProviders()) ?? [];
      expectOk((await listed?.update({ allowSignIn: false, email: 'new@example.com' })) as never);
      const changed = { allowSignIn: false, email: 'new@example.com', allowConnectedAccounts: true };
      expect(await created?.user.listOAuthProviders()).toMatchObject([changed]);
    },
    delete: async (world) => {
      const created = await createdProvider(world);
      await created?.provider.delete();
      expect(await created?.user.listOAuthProviders()).toEqual([]);
    },
  },
};

export const accountKinds = [oauthConnection, oauthProvider];

/** What the same methods do on a user that a server looked up. */
export const serverAccountCases: Cases = {
  listOAuthProviders: async (world) => {
    const created = await createdProvider(world);
    const providers = await created?.user.listOAuthProviders();
    expect(providers).toMatchObject([{ accountId: created?.options.accountId, allowSignIn: true }]);
    return providers;
  },
  getOAuthProvider: async (world) => {
    const created = await createdProvider(world);
    expect(await created?.user.getOAuthProvider(created.provider.id)).toMatchObject({ id: created?.provider.id });
    expect(await created?.user.getOAuthProvider('unknown')).toBeNull();
  },
  listConnectedAccounts: async (world) => {
    const created = await createdProvider(world);
    const accounts = await created?.user.listConnectedAccounts();
    expect(accounts).toMatchObject([{ provider: 'github', providerAccountId: created?.options.accountId }]);
    const { accountId: providerAccountId } = created?.options ?? { accountId: '' };
    expect(await created?.user.getConnectedAccount({ provider: 'github', providerAccountId })).not.toBeNull();
    return accounts;
  },
  getConnectedAccount: inBrowser(async (world) => {
    const { user } = await linkedUser(world);
    const found = await world.serverApp().getUser(user.id);
    const account = await found?.getConnectedAccount('github');
    await expectProviderAccepts(world, (await account?.getAccessToken())?.accessToken);
    const other = await world.serverApp().createUser({ displayName: 'Ann' });
    expect(await other.getConnectedAccount('github')).toBeNull();
    return account;
  }),
  registerPasskey: inBrowser(async (world) => {
    const { user, app } = await world.signedUpAtServer();
    const page = await openPage(world);
    await addVirtualAuthenticator(page);
    const status = await page.evaluate(async (id) => {
      const server = new window.library.StackServerApp({ ...window.settings, tokenStore: 'memory' });
      const found = await server.getUser(id);
      return (await found?.registerPasskey({ hostname: location.hostname }))?.status;
    }, user.id);
    expect(status).toBe('ok');
    expect(await app.getUser(user.id)).toMatchObject({ passkeyAuthEnabled: true });
  }),
};
