import { createOAuthProviders } from '@gatebook/oauth/client';
import { startSimulatorProvider } from '@gatebook/oauth/simulator/provider';
import { signInAtSimulator } from '@gatebook/oauth/testing/sign-in-at-simulator';
import { afterAll, expect, test } from 'vitest';
import { browserOf, toldError } from '../../testing/oauth.ts';
import { createProject, newEmail, type OwnedProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

/* Sign-ins with a provider that an owner added, at a real OpenID provider over HTTP. */
const secret = 'swordfish';
const simulator = await startSimulatorProvider({
  secret,
  clientIds: ['acme', 'acme-eu'],
  redirectOrigins: ['http://localhost:8102'],
});
afterAll(() => simulator.close());

const { api, send } = await startSuite({
  overrides: ({ now }) => ({
    oauthProviders: createOAuthProviders({ sharedKeys: {}, sharedIssuer: null, allowPrivate: true, now }),
  }),
});

async function withAcme(config: Record<string, unknown> = {}) {
  const project = await createProject(send, { config });
  const body = { display_name: 'Acme', issuer: simulator.url, client_id: 'acme', client_secret: secret };
  const path = '/internal/projects/current/openid-providers/acme';
  const put = await send('PUT', path, { ...project, access: 'admin', body });
  expect([put.status, put.body]).toEqual([
    200,
    { id: 'acme', ...body, callback_url: 'http://localhost:8102/api/v1/auth/oauth/callback/acme' },
  ]);
  return { project, ...steps(project) };
}

function steps(project: OwnedProject) {
  const { begin, open, redeem } = browserOf(api, project);
  /** Up to the app's own page. */
  const comeBack = async (person: { email: string; name: string }, changes: Record<string, string> = {}) => {
    const begun = await begin('acme', changes);
    const back = await signInAtSimulator(begun.location, person);
    return open('GET', `${back.pathname}${back.search}`, { cookie: begun.cookie });
  };
  const codeIn = (answer: Awaited<ReturnType<typeof comeBack>>) => {
    expect([answer.status, answer.text]).toEqual([303, '{}']);
    return new URL(String(answer.headers.location)).searchParams.get('code') ?? '';
  };
  const signIn = async (person: { email: string; name: string }, changes?: Record<string, string>) => {
    const { status, body } = await redeem(codeIn(await comeBack(person, changes)));
    expect(status).toBe(200);
    const me = await send('GET', '/users/me', { ...project, as: body.access_token });
    return { as: String(body.access_token), isNewUser: body.is_new_user, user: me.body };
  };
  return { comeBack, signIn };
}
const newPerson = () => ({ email: newEmail(), name: 'Ann' });

test('users sign up and sign in, and their account is the subject at the provider', async () => {
  const { project, signIn } = await withAcme();
  const ann = newPerson();
  const first = await signIn(ann);
  const second = await signIn(ann);
  expect([first.isNewUser, second.isNewUser, second.user.id]).toEqual([true, false, first.user.id]);
  expect(second.user).toMatchObject({ primary_email: ann.email, primary_email_verified: true, display_name: 'Ann' });
  const accounts = await send('GET', '/oauth-providers?user_id=me', { ...project, as: second.as });
  expect(accounts.body.items).toMatchObject([{ provider_config_id: 'acme', email: ann.email }]);
});

test('the tokens of connected accounts are stored and refreshed', async () => {
  const { project, signIn } = await withAcme();
  const { as, user } = await signIn(newPerson());
  const token = () =>
    send('POST', '/connected-accounts/me/acme/access-token', { ...project, as, body: { scope: 'openid' } });
  const first = await token();
  expect([first.status, first.body]).toEqual([201, { access_token: expect.any(String) }]);
  const headers = { authorization: `Bearer ${first.body.access_token}` };
  expect((await fetch(`${simulator.url}/me`, { headers })).status).toBe(200);
  expect((await token()).body).toEqual(first.body);
  api.advance(3_600_000);
  const path = `/connected-accounts/${user.id}/acme/access-token`;
  const second = await send('POST', path, { ...project, access: 'server', body: { scope: 'openid' } });
  expect(second.body.access_token).toEqual(expect.any(String));
  expect(second.body.access_token).not.toBe(first.body.access_token);
});

test('a signed-in user links an account', async () => {
  const { project, comeBack, signIn } = await withAcme();
  const { accessToken } = await signUp(send, project);
  const ann = newPerson();
  const linked = await comeBack(ann, { type: 'link', token: accessToken, provider_scope: 'openid' });
  expect(linked.status).toBe(303);
  const { redeem } = browserOf(api, project);
  await redeem(new URL(String(linked.headers.location)).searchParams.get('code') ?? '');
  const accounts = await send('GET', '/oauth-providers?user_id=me', { ...project, as: accessToken });
  expect(accounts.body.items).toMatchObject([{ provider_config_id: 'acme', email: ann.email }]);
  const me = await send('GET', '/users/me', { ...project, as: accessToken });
  expect((await signIn(ann)).user.id).toBe(me.body.id);
});

test('the same subject at two providers is two accounts', async () => {
  const { project, signIn } = await withAcme({ oauth_account_merge_strategy: 'allow_duplicates' });
  const ann = newPerson();
  const first = await signIn(ann);
  const body = { display_name: 'Acme EU', issuer: simulator.url, client_id: 'acme-eu', client_secret: secret };
  await send('PUT', '/internal/projects/current/openid-providers/acme-eu', { ...project, access: 'admin', body });
  const { begin, open, redeem } = browserOf(api, project);
  const begun = await begin('acme-eu');
  const back = await signInAtSimulator(begun.location, ann);
  const answer = await open('GET', `${back.pathname}${back.search}`, { cookie: begun.cookie });
  const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? '';
  const { body: session } = await redeem(code);
  const me = await send('GET', '/users/me', { ...project, as: session.access_token });
  expect(session.is_new_user).toBe(true);
  expect(me.body.id).not.toBe(first.user.id);
});

test('a removed provider rejects sign-ins, and its users are back when it is added again', async () => {
  const { project, comeBack, signIn } = await withAcme();
  const ann = newPerson();
  const { user } = await signIn(ann);
  const path = '/internal/projects/current/openid-providers/acme';
  expect((await send('DELETE', path, { ...project, access: 'admin', body: {} })).body).toEqual({ success: true });
  const { authorize } = browserOf(api, project);
  expect((await authorize('acme')).body.code).toBe('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
  const body = { display_name: 'Acme', issuer: simulator.url, client_id: 'acme', client_secret: 'wrong' };
  await send('PUT', path, { ...project, access: 'admin', body });
  expect((await comeBack(ann)).text).toContain('rejected the client ID and secret');
  await send('PUT', path, { ...project, access: 'admin', body: { ...body, client_secret: secret } });
  expect((await signIn(ann)).user.id).toBe(user.id);
});

test('a user with the same unverified address is not taken over', async () => {
  const { project, comeBack } = await withAcme();
  const ann = newPerson();
  const body = { primary_email: ann.email, primary_email_verified: false, primary_email_auth_enabled: true };
  await send('POST', '/users', { ...project, access: 'server', body: { ...body, password: 'correct horse battery' } });
  expect(toldError(await comeBack(ann))).toMatchObject({
    code: 'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
  });
});
