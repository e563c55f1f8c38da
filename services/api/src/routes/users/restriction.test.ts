import { describe, expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  newEmail,
  type OwnedProject,
  password,
  type SignedIn,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { asServer, userCallsOf } from '../../testing/users.ts';

const { send } = await startSuite();
const newest = { 'x-stack-client-version': 'js @stackframe/js@2.8.108' };
const unverified = { is_restricted: true, restricted_reason: { type: 'email_not_verified' } };
const unrestricted = { is_restricted: false, restricted_reason: null };

const change = (project: OwnedProject, body: Record<string, unknown>) =>
  send('PATCH', '/internal/projects/current/settings', { ...project, access: 'admin', body });
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

async function refreshed(project: OwnedProject, { refreshToken }: Pick<SignedIn, 'refreshToken'>): Promise<string> {
  const headers = { 'x-stack-refresh-token': refreshToken };
  return (await send('POST', '/auth/sessions/current/refresh', { ...project, headers })).body.access_token;
}
const readOwn = (project: OwnedProject, accessToken: string, headers: Record<string, string> = newest) =>
  send('GET', '/users/me', { ...project, as: accessToken, headers });

describe('where a verified address is required', async () => {
  const project = await createProject(send, { config: { allow_user_api_keys: true } });
  const { patch } = userCallsOf(send, project);
  await change(project, { email_verification_required: true });

  test('a user is restricted until the address is verified', async () => {
    const user = await signUp(send, project);
    expect(claimsOf(user.accessToken)).toMatchObject(unverified);
    expect((await readOwn(project, user.accessToken)).body).toMatchObject(unverified);
    await patch(user.userId, { primary_email_verified: true });
    const token = await refreshed(project, user);
    expect(claimsOf(token)).toMatchObject(unrestricted);
    expect((await readOwn(project, token)).body).toMatchObject(unrestricted);
  });

  test('an access token from before the verification must be refreshed', async () => {
    const user = await signUp(send, project);
    await patch(user.userId, { primary_email_verified: true });
    expectKnown(await readOwn(project, user.accessToken), 401, 'ACCESS_TOKEN_EXPIRED', {
      expired_at_millis: null,
    });
  });

  test('a user who adds an unverified primary address instead is restricted again', async () => {
    const user = await signUp(send, project);
    await patch(user.userId, { primary_email_verified: true });
    await patch(user.userId, { primary_email: newEmail(), primary_email_verified: false });
    expect(claimsOf(await refreshed(project, user))).toMatchObject(unverified);
  });

  test('a user without an address is restricted', async () => {
    const { id } = (await userCallsOf(send, project).create({})).body;
    const read = await send('GET', `/users/${id}`, { ...project, ...asServer, headers: newest });
    expect(read.body).toMatchObject(unverified);
  });

  test('a restricted user can sign in, and older clients see no new fields', async () => {
    const user = await signUp(send, project);
    const signIn = await send('POST', '/auth/password/sign-in', { ...project, body: { email: user.email, password } });
    expect(signIn.status).toBe(200);
    const own = await readOwn(project, signIn.body.access_token, {});
    expect(own.status).toBe(200);
    expect(own.body).not.toHaveProperty('is_restricted');
  });

  test('API keys work only after the verification', async () => {
    const user = await signUp(send, project);
    const body = { description: 'key', expires_at_millis: null, user_id: 'me' };
    const key = await send('POST', '/user-api-keys', { ...project, as: user.accessToken, body });
    const check = () =>
      send('POST', '/user-api-keys/check', { ...project, ...asServer, body: { api_key: key.body.value } });
    const rejected = await check();
    expectKnown(rejected, 401, 'API_KEY_REVOKED');
    expect(rejected.body.error).toBe('The API key does not work while its owner is restricted.');
    await patch(user.userId, { primary_email_verified: true });
    expect((await check()).status).toBe(200);
  });
});

test('switching the setting changes existing users at once', async () => {
  const project = await createProject(send);
  const user = await signUp(send, project);
  expect(claimsOf(user.accessToken)).toMatchObject(unrestricted);
  await change(project, { email_verification_required: true });
  expectKnown(await readOwn(project, user.accessToken), 401, 'ACCESS_TOKEN_EXPIRED', {
    expired_at_millis: null,
  });
  const restricted = await refreshed(project, user);
  expect((await readOwn(project, restricted)).body).toMatchObject(unverified);
  await change(project, { email_verification_required: false });
  expect((await readOwn(project, user.accessToken)).body).toMatchObject(unrestricted);
  expect(claimsOf(await refreshed(project, user))).toMatchObject(unrestricted);
});

test('an anonymous user is restricted as anonymous, and their API keys work', async () => {
  const project = await createProject(send, { config: { allow_user_api_keys: true } });
  await change(project, { anonymous_sign_up_enabled: true, email_verification_required: true });
  const { body } = await send('POST', '/auth/anonymous/sign-up', project);
  const anonymous = { is_restricted: true, restricted_reason: { type: 'anonymous' } };
  expect(claimsOf(body.access_token)).toMatchObject({ is_anonymous: true, ...anonymous });
  expect((await readOwn(project, body.access_token)).body).toMatchObject({ is_anonymous: true, ...anonymous });
  expect(claimsOf(await refreshed(project, { refreshToken: body.refresh_token }))).toMatchObject(anonymous);
  const newKey = { description: 'key', expires_at_millis: null, user_id: 'me' };
  const key = await send('POST', '/user-api-keys', { ...project, as: body.access_token, body: newKey });
  const given = { api_key: key.body.value };
  expect((await send('POST', '/user-api-keys/check', { ...project, ...asServer, body: given })).status).toBe(200);
});
