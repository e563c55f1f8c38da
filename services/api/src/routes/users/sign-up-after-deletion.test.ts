import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import { expect, test } from 'vitest';
import { newPerson, projectsOf } from '../../testing/oauth.ts';
import { newEmail, type OwnedProject, password, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const projectWith = projectsOf(api);
const config = { passkey_enabled: true, magic_link_enabled: true, client_user_deletion_enabled: true };
const { project, signIn } = await projectWith(config);

type Authenticator = ReturnType<typeof createAuthenticator>;
const post = (path: string, body: unknown, as?: string) =>
  send('POST', path, { ...project, body, ...(as !== undefined && { as }) });

async function registerPasskey(authenticator: Authenticator, as: string): Promise<void> {
  const { options_json, code } = (await post('/auth/passkey/initiate-passkey-registration', {}, as)).body;
  const credential = authenticator.register(options_json);
  expect((await post('/auth/passkey/register', { credential, code }, as)).status).toBe(200);
}
async function signInWithPasskey(authenticator: Authenticator) {
  const { options_json, code } = (await post('/auth/passkey/initiate-passkey-authentication', {})).body;
  return post('/auth/passkey/sign-in', { authentication_response: authenticator.authenticate(options_json), code });
}

const deletions: [string, (of: OwnedProject, user: { id: string; as: string }) => Promise<{ status: number }>][] = [
  ['a server', (of, { id }) => send('DELETE', `/users/${id}`, { ...of, access: 'server' })],
  ['themselves', (of, { as }) => send('DELETE', '/users/me', { ...of, as })],
];

test.each(deletions)('a user deleted by %s signs up again with the same address and passkey', async (_, remove) => {
  const [email, authenticator] = [newEmail(), createAuthenticator()];
  const first = await signUp(send, project, email);
  await registerPasskey(authenticator, first.accessToken);
  expect((await remove(project, { id: first.userId, as: first.accessToken })).status).toBe(200);
  expect((await signInWithPasskey(authenticator)).body.code).toBe('PASSKEY_AUTHENTICATION_FAILED');
  const again = await signUp(send, project, email);
  expect(again.userId).not.toBe(first.userId);
  await registerPasskey(authenticator, again.accessToken);
  expect((await signInWithPasskey(authenticator)).body.user_id).toBe(again.userId);
  expect((await post('/auth/password/sign-in', { email, password })).body.user_id).toBe(again.userId);
});

test.each(deletions)('a user deleted by %s signs up again with the same provider account', async (_, remove) => {
  const person = newPerson();
  const first = await signIn('google', person);
  const { id } = (await send('GET', '/users/me', { ...project, as: first.access_token })).body;
  expect((await remove(project, { id, as: first.access_token })).status).toBe(200);
  const again = await signIn('google', person);
  expect(again.is_new_user).toBe(true);
  const me = (await send('GET', '/users/me', { ...project, as: again.access_token })).body;
  expect(me.id).not.toBe(id);
  expect(me.oauth_providers).toEqual([{ id: 'google', account_id: person.accountId, email: person.email }]);
  expect(await signIn('google', person)).toMatchObject({ is_new_user: false });
});

test.each(deletions)('sign-ins that race the deletion by %s end in tokens or a known error', async (_, remove) => {
  const person = newPerson();
  const first = await signIn('google', person);
  const { id } = (await send('GET', '/users/me', { ...project, as: first.access_token })).body;
  const removed = remove(project, { id, as: first.access_token });
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => signIn('google', person)));
  expect((await removed).status).toBe(200);
  for (const tried of tries) if (tried.status === 'rejected') expect(String(tried.reason)).not.toMatch(/\b5\d\d\b/);
  const again = await signIn('google', person);
  const me = await send('GET', '/users/me', { ...project, as: again.access_token });
  expect(me.status).toBe(200);
  expect(me.body.id).not.toBe(id);
});
