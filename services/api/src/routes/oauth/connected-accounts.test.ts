import { describe, expect, test } from 'vitest';
import { newPerson, projectsOf } from '../../testing/oauth.ts';
import { expectKnown, expectPlain, type OwnedProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const projectWith = projectsOf(api);

describe('connected accounts', () => {
  const tokenOf = (project: OwnedProject, provider: string, call: object, scope?: string, user = 'me') =>
    send('POST', `/connected-accounts/${user}/${provider}/access-token`, {
      ...project,
      ...call,
      body: scope === undefined ? {} : { scope },
    });

  test('return the provider’s token with the requested scopes until it expires', async () => {
    const { signIn, project } = await projectWith();
    const { access_token: as } = await signIn('github', newPerson(), { provider_scope: 'repo' });
    const first = await tokenOf(project, 'github', { as });
    expect([first.status, first.body]).toEqual([201, { access_token: expect.stringMatching(/^access-/) }]);
    for (const scope of ['repo', 'user:email repo', '  repo ', '']) {
      expect((await tokenOf(project, 'github', { as }, scope)).body).toEqual(first.body);
    }
    const old = await send('POST', '/auth/oauth/connected-accounts/GitHub/access-token', { ...project, as, body: {} });
    expect([old.status, old.body]).toEqual([201, first.body]);
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    expect((await tokenOf(project, 'github', { access: 'server' }, 'repo', id)).body).toEqual(first.body);
    expectKnown(await tokenOf(project, 'github', { as }, 'gist'), 400, 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
    await signIn(
      'github',
      { ...newPerson(), accountId: (await account(project, as)).account_id },
      { provider_scope: 'gist', type: 'link', token: as },
    );
    expect((await tokenOf(project, 'github', { as }, 'gist')).status).toBe(201);
    expect((await tokenOf(project, 'github', { as }, 'repo')).body).toEqual(first.body);
    expectKnown(
      await tokenOf(project, 'github', { as }, 'gist repo'),
      400,
      'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE',
    );
  });

  const account = async (project: OwnedProject, as: string) =>
    (await send('GET', '/users/me', { ...project, as })).body.oauth_providers[0];

  test('refresh the token five minutes before it expires and store the new one', async () => {
    const { signIn, project } = await projectWith();
    const { refresh_token } = await signIn('github', newPerson());
    const { id } = (await send('GET', '/users', { ...project, access: 'server' })).body.items[0];
    const asServer = () => tokenOf(project, 'github', { access: 'server' }, 'user:email', id);
    const first = (await asServer()).body.access_token;
    api.advance(55 * 60_000);
    const second = (await asServer()).body.access_token;
    expect(second).not.toBe(first);
    expect((await asServer()).body.access_token).toBe(second);
    expect(refresh_token).toBeTruthy();
  });

  test('report missing accounts, tokens and scopes', async () => {
    const { signIn, project } = await projectWith();
    const { access_token: as } = await signIn('github', newPerson({ refreshToken: null }));
    expectKnown(await tokenOf(project, 'apple', { as }), 400, 'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER');
    expectKnown(
      await tokenOf(project, 'google', { as }),
      400,
      'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
    );
    expectKnown(await tokenOf(project, 'discord', { as }), 400, 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    expectKnown(await tokenOf(project, 'github', {}), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    const other = await signUp(send, project);
    expectPlain(await tokenOf(project, 'github', { as }, undefined, other.userId), 403);
    const nobody = '11111111-2222-4333-8444-555555555555';
    expectKnown(await tokenOf(project, 'github', { access: 'server' }, undefined, nobody), 404, 'USER_NOT_FOUND');
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    api.advance(3_600_000);
    const late = await tokenOf(project, 'github', { access: 'server' }, undefined, id);
    expectKnown(late, 400, 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
    const revoked = await signIn('github', newPerson({ refreshToken: 'rejected' }));
    const user = (await send('GET', '/users/me', { ...project, as: revoked.access_token })).body.id;
    api.advance(3_600_000);
    expectKnown(await tokenOf(project, 'github', { access: 'server' }, undefined, user), 401, 'PROVIDER_REJECTED');
  });

  test('store no provider tokens if shared keys are used', async () => {
    const { signIn } = await projectWith();
    const before = await api.deps.store.head();
    await signIn('google', newPerson());
    const types = (await api.deps.store.readAll(before, 1000)).map(({ type }) => type);
    expect(types).toContain('OAuthAccountLinked');
    expect(types).not.toContain('ProviderTokensStored');
  });
});
