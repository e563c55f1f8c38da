import { createServer } from 'node:net';
import * as middle from 'stack-js-2-8-77';
import * as newest from 'stack-js-2-8-108';
import { describe, expect, test } from 'vitest';
import { browserOf, challenge, newPerson, verifier } from './testing/oauth.ts';
import { createProject, senderOf, signUp } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

/*
 * What published client libraries do with accounts at providers and with a second domain, unmodified, against a
 * listening server.
 */
const versions = [
  { version: '2.8.77', library: middle as unknown as typeof newest },
  { version: '2.8.108', library: newest },
];

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

const port = await freePort();
const baseUrl = `http://localhost:${port}`;
const { api, send } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: 'localhost' });
const github = { id: 'github', type: 'standard', client_id: 'gh-client', client_secret: 'gh-secret' };
const project = await createProject(senderOf(api), {
  config: {
    oauth_providers: [github, { ...github, id: 'gitlab' }],
    domains: [{ domain: 'https://*.shop.example', handler_path: '/handler' }],
  },
});
const { signIn, redeem } = browserOf(api, project);

describe.each(versions)('@stackframe/js $version', ({ library: { StackClientApp, StackServerApp } }) => {
  const keys = { baseUrl, projectId: project.projectId, publishableClientKey: project.keys.client };
  const appOf = (accessToken: string, refreshToken: string) =>
    new StackClientApp({ ...keys, tokenStore: { accessToken, refreshToken }, redirectMethod: 'none' });
  const serverApp = () => new StackServerApp({ ...keys, secretServerKey: project.keys.server, tokenStore: 'memory' });

  async function signedIn() {
    const person = newPerson();
    const { access_token, refresh_token } = await signIn('github', person, { provider_scope: 'repo' });
    const app = appOf(access_token, refresh_token);
    const user = await app.getUser({ or: 'throw' });
    const serverUser = await serverApp().getUser(user.id);
    if (!serverUser) throw new Error('the server does not find the user');
    return { app, user, serverUser, person };
  }

  test('lists connected accounts and gets their tokens', async () => {
    const { user, serverUser, person } = await signedIn();
    for (const owner of [user, serverUser]) {
      const [account] = await owner.listConnectedAccounts();
      expect(account).toMatchObject({ provider: 'github', providerAccountId: person.accountId });
      const token = await account?.getAccessToken({ scopes: ['repo'] });
      expect(token).toMatchObject({ status: 'ok', data: { accessToken: expect.stringMatching(/^access-/) } });
      const missing = await account?.getAccessToken({ scopes: ['gist'] });
      expect(missing).toMatchObject({ status: 'error', error: { errorCode: 'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE' } });
      const named = { provider: 'github', providerAccountId: person.accountId };
      expect(await owner.getConnectedAccount(named)).toMatchObject(named);
      expect(await owner.getConnectedAccount({ ...named, providerAccountId: 'x' })).toBeNull();
    }
    expect(await user.getOrLinkConnectedAccount('github', { scopes: ['repo'] })).toMatchObject({ provider: 'github' });
  });

  test('lists, changes and deletes accounts at providers', async () => {
    const { user, person } = await signedIn();
    await user.setPassword({ password: 'correct horse battery' });
    const [account] = await user.listOAuthProviders();
    if (!account) throw new Error('no account');
    expect(account).toMatchObject({ type: 'github', email: person.email, allowSignIn: true });
    expect(await user.getOAuthProvider(account.id)).toMatchObject({ id: account.id });
    expect(await account.update({ allowSignIn: false, allowConnectedAccounts: false })).toMatchObject({ status: 'ok' });
    expect(await user.getOAuthProvider(account.id)).toMatchObject({
      allowSignIn: false,
      allowConnectedAccounts: false,
    });
    expect(await user.listConnectedAccounts()).toEqual([]);
    await account.delete();
    expect(await user.listOAuthProviders()).toEqual([]);
  });

  test('adds and changes accounts at providers from a server', async () => {
    const { serverUser, person } = await signedIn();
    const app = serverApp();
    const uses = { allowSignIn: true, allowConnectedAccounts: true };
    const second = { userId: serverUser.id, providerConfigId: 'gitlab', email: 'second@example.com', ...uses };
    const created = await app.createOAuthProvider({ ...second, accountId: `gitlab-${person.accountId}` });
    if (created.status !== 'ok') throw created.error;
    expect(created.data).toMatchObject({ type: 'gitlab', accountId: `gitlab-${person.accountId}`, ...uses });
    const taken = await app.createOAuthProvider({ ...second, providerConfigId: 'github', accountId: person.accountId });
    expect(taken).toMatchObject({
      status: 'error',
      error: { errorCode: 'OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN' },
    });
    const change = { accountId: `other-${person.accountId}`, allowSignIn: false };
    expect(await created.data.update(change)).toMatchObject({ status: 'ok' });
    expect(await serverUser.getOAuthProvider(created.data.id)).toMatchObject(change);
    await created.data.delete();
    expect(await serverUser.listOAuthProviders()).toHaveLength(1);
  });
});

test('the newest client hands a session to another domain', async () => {
  const { accessToken, refreshToken } = await signUp(send, project);
  const app = new newest.StackClientApp({
    baseUrl,
    projectId: project.projectId,
    publishableClientKey: project.keys.client,
    tokenStore: { accessToken, refreshToken },
    redirectMethod: 'none',
  });
  const redirectUri = 'https://app.shop.example/handler/oauth-callback?hexclave_cross_domain_auth=1';
  const createUrl: (options: object) => Promise<string> = Reflect.get(app, '_createCrossDomainAuthRedirectUrl');
  const options = { redirectUri, state: 'state', codeChallenge: challenge };
  const location = new URL(
    await createUrl.call(app, { ...options, afterCallbackRedirectUrl: 'https://app.shop.example/welcome' }),
  );
  expect(location.searchParams.get('state')).toBe('state');
  const code = location.searchParams.get('code') ?? '';
  const tokens = await redeem(code, { redirect_uri: redirectUri, code_verifier: verifier });
  expect(tokens.body).toMatchObject({ refresh_token: refreshToken, is_new_user: false });
});
