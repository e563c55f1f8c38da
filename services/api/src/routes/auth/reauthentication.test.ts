import { expect, test } from 'vitest';
import {
  createProject,
  expectPlain,
  newEmail,
  type OwnedProject,
  password,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send, { config: { passkey_enabled: true, client_user_deletion_enabled: true } });

const requireReauthentication = async (of: OwnedProject, reauthentication_required: boolean) => {
  const call = { ...of, access: 'admin' as const, body: { reauthentication_required } };
  const answer = await send('PATCH', '/internal/projects/current/settings', call);
  expect(answer.body).toMatchObject({ reauthentication_required });
};
await requireReauthentication(project, true);

const refreshed = async (refreshToken: string, of = project): Promise<string> => {
  const headers = { 'x-stack-refresh-token': refreshToken };
  return (await send('POST', '/auth/sessions/current/refresh', { ...of, headers })).body.access_token;
};
const minutes = (count: number) => count * 60_000;
const totp = { totp_secret_base64: Buffer.alloc(20, 1).toString('base64') };

/** A user who signed in 11 minutes ago. */
async function stale(of = project): Promise<SignedIn> {
  const user = await signUp(send, of);
  api.advance(minutes(11));
  return { ...user, accessToken: await refreshed(user.refreshToken, of) };
}

const sensitive: [string, string, unknown?][] = [
  ['GET', '/users/me/export'],
  ['DELETE', '/users/me'],
  ['PATCH', '/users/me', totp],
  ['PATCH', '/users/me', { totp_secret_base64: null }],
  ['PATCH', '/users/me', { otp_auth_enabled: true, display_name: 'Ann' }],
  ['POST', '/auth/password/set', { password }],
  ['POST', '/auth/passkey/initiate-passkey-registration', {}],
  ['POST', '/contact-channels', { user_id: 'me', type: 'email', value: 'new@example.com', used_for_auth: true }],
  ['PATCH', `/contact-channels/me/${unknownId}`, { value: 'other@example.com' }],
  ['DELETE', `/contact-channels/me/${unknownId}`],
];

test.each(sensitive)('%s %s %j requires a sign-in within the last ten minutes', async (method, path, body) => {
  const user = await stale();
  const answer = await send(method, path, {
    ...project,
    as: user.accessToken,
    headers: { origin: 'https://app.example' },
    ...(body === undefined ? {} : { body }),
  });
  expectPlain(answer, 401);
  expect(answer.text).toBe('Sign in again. This requires a sign-in within the last 10 minutes.');
  expect(answer.headers['www-authenticate']).toMatch(
    /^Bearer error="insufficient_user_authentication".* max_age="600"$/,
  );
  expect(answer.headers['access-control-expose-headers']).toContain('www-authenticate');
});

test('a provider account is linked only after a recent sign-in', async () => {
  const config = { oauth_providers: [{ id: 'github', type: 'shared' }] };
  await send('PATCH', '/internal/projects/current', { ...project, access: 'admin', body: { config } });
  const link = (as: string) =>
    send('POST', '/auth/oauth/authorize/github', {
      ...project,
      as,
      body: {
        type: 'link',
        redirect_uri: 'http://localhost/cb',
        state: 's',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      },
    });
  expectPlain(await link((await stale()).accessToken), 401);
  expect((await link((await signUp(send, project)).accessToken)).status).toBe(200);
});

test('a new sign-in is sufficient, the refresh of an old session is not', async () => {
  const user = await stale();
  const patch = (as: string) => send('PATCH', '/users/me', { ...project, as, body: totp });
  expectPlain(await patch(user.accessToken), 401);
  const again = await send('POST', '/auth/password/sign-in', { ...project, body: { email: user.email, password } });
  expect((await patch(again.body.access_token)).status).toBe(200);
  const younger = await signUp(send, project);
  api.advance(minutes(9));
  expect((await patch(await refreshed(younger.refreshToken))).status).toBe(200);
});

test('other requests work without a recent sign-in', async () => {
  const { accessToken: as } = await stale();
  expect((await send('GET', '/users/me', { ...project, as })).status).toBe(200);
  expect((await send('PATCH', '/users/me', { ...project, as, body: { display_name: 'Ann' } })).status).toBe(200);
  const update = { old_password: password, new_password: `${password}!` };
  expect((await send('POST', '/auth/password/update', { ...project, as, body: update })).status).toBe(200);
});

test('servers and administrators need no recent sign-in, nor do users if the setting is off', async () => {
  const { accessToken: as, userId } = await stale();
  expect((await send('PATCH', '/users/me', { ...project, as, access: 'server', body: totp })).status).toBe(200);
  expect((await send('GET', `/users/${userId}/export`, { ...project, access: 'admin' })).status).toBe(200);
  const other = await createProject(send);
  const lax = await stale(other);
  expect((await send('PATCH', '/users/me', { ...other, as: lax.accessToken, body: totp })).status).toBe(200);
});

test('a command-line login approved from an old session does not count as a recent sign-in', async () => {
  const user = await stale();
  const { login_code, polling_code } = (await send('POST', '/auth/cli', { ...project, body: {} })).body;
  const approval = { login_code, refresh_token: user.refreshToken };
  expect((await send('POST', '/auth/cli/complete', { ...project, body: approval })).status).toBe(200);
  const { refresh_token } = (await send('POST', '/auth/cli/poll', { ...project, body: { polling_code } })).body;
  expectPlain(await send('DELETE', '/users/me', { ...project, as: await refreshed(refresh_token) }), 401);
});

test('anonymous users, who can’t sign in again, need no recent sign-in', async () => {
  const settings = { ...project, access: 'admin' as const, body: { anonymous_sign_up_enabled: true } };
  await send('PATCH', '/internal/projects/current/settings', settings);
  const guest = (await send('POST', '/auth/anonymous/sign-up', { ...project, body: {} })).body;
  api.advance(minutes(11));
  const as = await refreshed(guest.refresh_token);
  expect((await send('DELETE', '/users/me', { ...project, as })).status).toBe(200);
});

test('an address is reserved only after the check for a recent sign-in', async () => {
  const { accessToken: as } = await stale();
  const value = newEmail();
  const body = { user_id: 'me', type: 'email', value, used_for_auth: true };
  expectPlain(await send('POST', '/contact-channels', { ...project, as, body }), 401);
  expect((await signUp(send, project, value)).userId).toEqual(expect.any(String));
});
