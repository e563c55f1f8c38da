import { findFreePort } from '@gatebook/runtime/free-port';
import { describe, expect, test } from 'vitest';
import { loadClient, publishedClients } from '../../testing/published-clients.ts';
import {
  type Call,
  changeConfig,
  changeSettings,
  createProject,
  expectKnown,
  expectSchemaError,
  newEmail,
  password,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const port = await findFreePort();
const baseUrl = `http://localhost:${port}`;
const { api, send } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: 'localhost' });
const project = await createProject(send);
await changeSettings(send, project, { user_deletion_grace_days: 30 });
await changeConfig(send, project, {
  client_user_deletion_enabled: true,
  client_team_creation_enabled: true,
  allow_user_api_keys: true,
  magic_link_enabled: true,
});

const as = (access: NonNullable<Call['access']>) => (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, access, ...(body !== undefined && { body }) });
const [client, server, admin] = [as('client'), as('server'), as('admin')];
const remove = (userId: string) => server('DELETE', `/users/${userId}`);
const restore = (userId: string) => admin('POST', `/internal/users/${userId}/restore`, {});
const erase = (userId: string) => admin('POST', `/internal/users/${userId}/erase`, {});
const listDeleted = async (query = '') => (await admin('GET', `/internal/deleted-users${query}`)).body;
const signIn = (email: string) => client('POST', '/auth/password/sign-in', { email, password });
const signUpWith = (email: string) =>
  client('POST', '/auth/password/sign-up', { email, password, verification_callback_url: 'http://localhost/verify' });

type Member = SignedIn & { teamId: string; apiKey: string; permissionId: string };
/** A user with a team, a permission, an API key and another team member who stays. */
async function createMember(): Promise<Member> {
  const user = await signUp(send, project);
  const staying = await signUp(send, project);
  const team = await server('POST', '/teams', { display_name: 'Crew', creator_user_id: staying.userId });
  const teamId = team.body.id as string;
  await server('POST', `/team-memberships/${teamId}/${user.userId}`, {});
  const permissionId = `p_${user.userId.slice(-12)}`;
  await admin('POST', '/project-permission-definitions', { id: permissionId });
  await server('POST', `/project-permissions/${user.userId}/${permissionId}`, {});
  const key = await server('POST', '/user-api-keys', {
    user_id: user.userId,
    description: 'key',
    expires_at_millis: null,
  });
  expect(key.status).toBe(200);
  return { ...user, teamId, permissionId, apiKey: key.body.value };
}

/** What servers and admins read of a user, and of lists that a user can be in. */
async function readAll({ userId, email, teamId }: Member) {
  const paths = [
    ...['', '/export'].map((rest) => `/users/${userId}${rest}`),
    `/auth/sessions?user_id=${userId}`,
    `/contact-channels?user_id=${userId}`,
    `/project-permissions?user_id=${userId}`,
    `/team-permissions?user_id=${userId}&recursive=true`,
    `/teams?user_id=${userId}`,
    `/team-member-profiles?team_id=${teamId}`,
    `/team-member-profiles/${teamId}/${userId}`,
    `/team-permissions?team_id=${teamId}`,
    `/user-api-keys?user_id=${userId}`,
    `/users?query=${encodeURIComponent(email)}`,
    `/users?team_id=${teamId}`,
    `/emails/notification-preference/${userId}`,
    `/oauth-providers?user_id=${userId}`,
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await server('GET', path);
    answers[path] = { status, body };
  }
  return answers;
}
const withoutIds = (answers: Record<string, unknown>, { userId, email, teamId }: Member) =>
  JSON.stringify(answers)
    .replaceAll(userId, 'USER')
    .replaceAll(encodeURIComponent(email), 'EMAIL')
    .replaceAll(email, 'EMAIL')
    .replaceAll(teamId, 'TEAM')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/person-\d+@/g, 'PERSON@')
    .replace(/_millis":\d+/g, '_millis":0');

describe('a user deleted with a grace period', () => {
  test('is read, listed and counted like a user who is deleted at once', async () => {
    const total = async () => (await admin('GET', '/internal/metrics')).body.total_users;
    const [waiting, gone] = [await createMember(), await createMember()];
    const before = await total();
    expect((await remove(waiting.userId)).status).toBe(200);
    expect(await total()).toBe(before - 1);
    expect((await erase(gone.userId)).status).toBe(200);
    const answers = await readAll(waiting);
    expect(withoutIds(answers, waiting)).toBe(withoutIds(await readAll(gone), gone));
    expect(answers[`/users/${waiting.userId}`]).toMatchObject({ status: 404, body: { code: 'USER_NOT_FOUND' } });
    expectKnown(await remove(waiting.userId), 404, 'USER_NOT_FOUND');
    expectKnown(await server('PATCH', `/users/${waiting.userId}`, { display_name: 'x' }), 404, 'USER_NOT_FOUND');
    expect((await server('POST', '/auth/sessions', { user_id: waiting.userId })).status).toBe(400);
  });

  test('can no longer use tokens, API keys or the password', async () => {
    const user = await createMember();
    const check = () => server('POST', '/user-api-keys/check', { api_key: user.apiKey });
    expect((await check()).status).toBe(200);
    await remove(user.userId);
    expect((await check()).status).toBe(404);
    const me = await send('GET', '/users/me', { ...project, as: user.accessToken });
    expect(me.status).toBeGreaterThanOrEqual(400);
    const refresh = await send('POST', '/auth/sessions/current/refresh', {
      ...project,
      headers: { 'x-stack-refresh-token': user.refreshToken },
    });
    expect(refresh.status).toBe(401);
    expectKnown(await signIn(user.email), 400, 'EMAIL_PASSWORD_MISMATCH');
  });

  test('keeps the address, so that a sign-up gets the error of an address in use', async () => {
    const user = await signUp(send, project);
    const taken = async () => {
      const { status, body } = await signUpWith(user.email);
      return { status, code: body.code };
    };
    const whileActive = await taken();
    expect(whileActive.code).toBe('USER_EMAIL_ALREADY_EXISTS');
    await remove(user.userId);
    expect(await taken()).toEqual(whileActive);
    await erase(user.userId);
    expect((await taken()).status).toBe(200);
  });

  test('gets the same answers to emailed codes as an unknown address', async () => {
    const user = await signUp(send, project);
    await remove(user.userId);
    for (const [path, field] of [
      ['/auth/otp/send-sign-in-code', 'callback_url'],
      ['/auth/password/send-reset-code', 'callback_url'],
    ] as const) {
      const ask = async (email: string) => {
        const { status, body } = await client('POST', path, { email, [field]: 'http://localhost/x' });
        return { status, keys: Object.keys(body), code: body.code };
      };
      expect(await ask(user.email)).toEqual(await ask(newEmail()));
    }
  });

  test('can delete the own account', async () => {
    const user = await signUp(send, project);
    expect((await send('DELETE', '/users/me', { ...project, as: user.accessToken })).status).toBe(200);
    const found = (await listDeleted()).items.find(({ id }: { id: string }) => id === user.userId);
    expect(found).toMatchObject({
      primary_email: user.email,
      deleted_by_user: true,
      erased_at_millis: found.deleted_at_millis + 30 * 86_400_000,
    });
  });
});

describe('restoring a user', () => {
  test('brings back profile, teams, permissions and sign-in, without sessions and API keys', async () => {
    const user = await createMember();
    await api.deps.activity.flush();
    const before = await readAll(user);
    for (const [path, answer] of Object.entries(before)) expect(answer, path).toMatchObject({ status: 200 });
    await remove(user.userId);
    expect((await restore(user.userId)).body).toEqual({ success: true });
    const after = await readAll(user);
    const changing = [`/users/${user.userId}/export`, `/auth/sessions?user_id=${user.userId}`];
    for (const path of [...changing, `/user-api-keys?user_id=${user.userId}`]) {
      delete before[path];
      expect(after[path]).toMatchObject({ status: 200 });
      delete after[path];
    }
    expect(after).toEqual(before);
    expect((await server('GET', `/auth/sessions?user_id=${user.userId}`)).body.items).toEqual([]);
    const checked = await server('POST', '/user-api-keys/check', { api_key: user.apiKey });
    expectKnown(checked, 401, 'API_KEY_REVOKED');
    expect((await signIn(user.email)).body.user_id).toBe(user.userId);
    expect((await listDeleted()).items.map(({ id }: { id: string }) => id)).not.toContain(user.userId);
    const { items } = (await admin('GET', `/internal/users/${user.userId}/history`)).body;
    const texts = items.map(({ text }: { text: string }) => text);
    expect(texts).toContain('Restored the user');
    expect(texts.find((text: string) => text.startsWith('Deleted, can be restored until 20'))).toBeDefined();
  });

  test('who is not deleted changes nothing; an unknown, erased or foreign user is not found', async () => {
    const user = await signUp(send, project);
    expect((await restore(user.userId)).status).toBe(200);
    const other = await createProject(send);
    await remove(user.userId);
    for (const path of ['restore', 'erase']) {
      const call = { ...other, access: 'admin' as const, body: {} };
      expectKnown(await send('POST', `/internal/users/${user.userId}/${path}`, call), 404, 'USER_NOT_FOUND');
      expectKnown(await admin('POST', `/internal/users/${unknownId}/${path}`, {}), 404, 'USER_NOT_FOUND');
    }
    await erase(user.userId);
    expectKnown(await restore(user.userId), 404, 'USER_NOT_FOUND');
    expectKnown(await erase(user.userId), 404, 'USER_NOT_FOUND');
  });
});

test('deleted users are listed in pages, those first who are erased first', async () => {
  const own = await createProject(send);
  const call = { ...own, access: 'admin' as const };
  const users: SignedIn[] = [];
  for (let n = 0; n < 5; n += 1) users.push(await signUp(send, own));
  for (const [n, { userId }] of users.entries()) {
    await changeSettings(send, own, { user_deletion_grace_days: 5 - n });
    await send('DELETE', `/users/${userId}`, call);
  }
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = (await send('GET', `/internal/deleted-users?limit=2${query}`, call)).body;
    ids.push(...page.items.map(({ id }: { id: string }) => id));
    cursor = page.pagination.next_cursor;
  }
  expect(ids).toEqual(users.map(({ userId }) => userId).reverse());
});

test('the grace period is a number of days from 0 to 90, 0 by default', async () => {
  const own = await createProject(send);
  const call = { ...own, access: 'admin' as const };
  const read = async () =>
    (await send('GET', '/internal/projects/current/settings', call)).body.user_deletion_grace_days;
  expect(await read()).toBe(0);
  for (const days of [-1, 91, 1.5]) {
    expectSchemaError(await changeSettings(send, own, { user_deletion_grace_days: days }), 'user_deletion_grace_days');
  }
  await changeSettings(send, own, { user_deletion_grace_days: 90 });
  expect(await read()).toBe(90);
  await changeSettings(send, own, { user_deletion_grace_days: 0 });
  const { userId } = await signUp(send, own);
  await send('DELETE', `/users/${userId}`, call);
  expect((await send('GET', '/internal/deleted-users', call)).body.items).toEqual([]);
});

const versions = await Promise.all(
  publishedClients.map(async (published) => ({ version: published.version, library: await loadClient(published) })),
);
describe.each(versions)('@stackframe/js $version', ({ library }) => {
  const facts = {
    baseUrl,
    tokenStore: 'memory',
    redirectMethod: 'none',
    projectId: project.projectId,
    publishableClientKey: project.keys.client,
  } as const;

  test('sees a user deleted with a grace period as deleted', async () => {
    const email = newEmail();
    const app = new library.StackClientApp(facts);
    const quietly = { noRedirect: true, verificationCallbackUrl: 'http://localhost:3000/verify' };
    expect(await app.signUpWithCredential({ email, password, ...quietly })).toMatchObject({ status: 'ok' });
    const user = await app.getUser({ or: 'throw' });
    const servers = new library.StackServerApp({ ...facts, secretServerKey: project.keys.server });
    const found = await servers.getUser(user.id);
    await found?.delete();
    expect(await servers.getUser(user.id)).toBeNull();
    expect((await servers.listUsers()).map(({ id }) => id)).not.toContain(user.id);
    expect(await new library.StackClientApp(facts).signInWithCredential({ email, password, ...quietly })).toMatchObject(
      { status: 'error', error: { errorCode: 'EMAIL_PASSWORD_MISMATCH' } },
    );
    expect(await new library.StackClientApp(facts).signUpWithCredential({ email, password, ...quietly })).toMatchObject(
      { status: 'error', error: { errorCode: 'USER_EMAIL_ALREADY_EXISTS' } },
    );
    await restore(user.id);
    expect(await servers.getUser(user.id)).toMatchObject({ id: user.id, primaryEmail: email });
  });
});
