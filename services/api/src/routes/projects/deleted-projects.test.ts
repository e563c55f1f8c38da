import { describe, expect, test } from 'vitest';
import {
  type Call,
  changeSettings,
  createProject,
  expectKnown,
  type OwnedProject,
  password,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send, api } = await startSuite();

const asOwner = (project: OwnedProject, owner = project.owner): Call => ({
  projectId: project.projectId,
  access: 'admin',
  headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': owner.accessToken },
});
const remove = (project: OwnedProject) =>
  send('DELETE', '/internal/projects/current', { ...project, access: 'admin', body: {} });
const act = (project: OwnedProject, action: 'restore' | 'erase', owner = project.owner) =>
  send('POST', `/internal/projects/current/${action}`, { ...asOwner(project, owner), body: {} });
const listOf = async (owner: { accessToken: string }, path: string): Promise<string[]> =>
  (await send('GET', path, { as: owner.accessToken })).body.items.map(({ id }: { id: string }) => id);
const listDeleted = (owner: { accessToken: string }) => listOf(owner, '/internal/deleted-projects');
const listOwned = (owner: { accessToken: string }) => listOf(owner, '/internal/projects');

async function createShop() {
  const project = await createProject(send, { config: { allow_user_api_keys: true } });
  await changeSettings(send, project, { project_deletion_grace_days: 30 });
  const user = await signUp(send, project);
  const key = await send('POST', '/user-api-keys', {
    ...project,
    access: 'server',
    body: { user_id: user.userId, description: 'key', expires_at_millis: null },
  });
  return { project, user, apiKey: key.body.value as string };
}
type Shop = Awaited<ReturnType<typeof createShop>>;

/** Answers to everyone who uses a project: clients, users, servers, keys and owners. */
async function useAll({ project, user }: Shop) {
  const { email, accessToken, refreshToken } = user;
  const calls: readonly [string, string, Call][] = [
    ['GET', '/projects/current', { ...project, access: 'client' }],
    ['GET', '/users/me', { ...project, as: accessToken }],
    [
      'POST',
      '/auth/sessions/current/refresh',
      { ...project, access: 'client', headers: { 'x-stack-refresh-token': refreshToken } },
    ],
    ['POST', '/auth/password/sign-in', { ...project, access: 'client', body: { email, password } }],
    ['GET', `/users/${user.userId}`, { ...project, access: 'server' }],
    ['GET', '/users', { ...project, access: 'server' }],
    ['GET', '/internal/projects/current', { ...project, access: 'admin' }],
    ['GET', '/internal/projects/current', asOwner(project)],
    ['GET', '/internal/audit-events', asOwner(project)],
    ['PATCH', '/internal/projects/current', { ...asOwner(project), body: { display_name: 'x' } }],
    ['POST', '/internal/projects/current/restore', { ...project, access: 'admin', body: {} }],
  ];
  const answers: Record<string, unknown> = {};
  for (const [nth, [method, path, call]] of calls.entries()) {
    const { status, body } = await send(method, path, call);
    // Tokens of an erased project can't be read any more.
    const code = path === '/users/me' ? null : body.code;
    answers[`${nth} ${method} ${path.replace(user.userId, 'USER')}`] = { status, code };
  }
  const mirrored = (await send('GET', `/users/${project.owner.userId}`, { access: 'server' })).body.server_metadata;
  return { ...answers, mirrored: mirrored.managedProjectIds.includes(project.projectId) };
}

describe('a project deleted with a grace period', () => {
  test('answers everyone like a project that is deleted at once', async () => {
    const [waiting, gone] = [await createShop(), await createShop()];
    const before = await useAll(waiting);
    expect((await remove(waiting.project)).body).toEqual({ success: true });
    expect((await act(gone.project, 'erase')).status).toBe(200);
    const answers = await useAll(waiting);
    expect(answers).not.toEqual(before);
    expect(answers).toEqual(await useAll(gone));
    expect(await listOwned(waiting.project.owner)).not.toContain(waiting.project.projectId);
  });

  test('is listed for its owners, and comes back as it was', async () => {
    const shop = await createShop();
    const { project, user, apiKey } = shop;
    const users = async () => (await send('GET', '/users', { ...project, access: 'server' })).body;
    await api.deps.activity.flush();
    const before = await users();
    await remove(project);
    const { items } = (await send('GET', '/internal/deleted-projects', { as: project.owner.accessToken })).body;
    const [found] = items.filter(({ id }: { id: string }) => id === project.projectId);
    expect(found.erased_at_millis).toBe(found.deleted_at_millis + 30 * 86_400_000);
    expect(await listDeleted(await signUp(send))).toEqual([]);
    expect((await act(project, 'restore')).body).toEqual({ success: true });
    expect(await listDeleted(project.owner)).not.toContain(project.projectId);
    expect(await listOwned(project.owner)).toContain(project.projectId);
    expect(await users()).toEqual(before);
    expect((await send('GET', '/users/me', { ...project, as: user.accessToken })).status).toBe(200);
    const check = { ...project, access: 'server' as const, body: { api_key: apiKey } };
    expect((await send('POST', '/user-api-keys/check', check)).status).toBe(200);
    expect((await act(project, 'restore')).status).toBe(200);
  });

  test('is restored and erased by its owners only, and by nobody once it is erased', async () => {
    const { project } = await createShop();
    const stranger = await signUp(send);
    await remove(project);
    for (const action of ['restore', 'erase'] as const) {
      expectKnown(await act(project, action, stranger), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
    }
    expect((await act(project, 'erase')).status).toBe(200);
    expect(await listDeleted(project.owner)).not.toContain(project.projectId);
    expectKnown(await act(project, 'restore'), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
  });

  test('is restored by an undo of the deletion, which a preview announces', async () => {
    const { project, user } = await createShop();
    const rename = { ...project, access: 'admin' as const, body: { display_name: 'Ann' } };
    const renamed = await send('PATCH', `/users/${user.userId}`, rename);
    const preview = await send('POST', '/internal/previews', {
      ...project,
      access: 'admin',
      body: { method: 'DELETE', path: '/internal/projects/current' },
    });
    expect(preview.body).toMatchObject({ is_reversible: true, effects: [{ kind: 'erasure_scheduled', count: 1 }] });
    const { headers } = await remove(project);
    const action = `/internal/actions/${headers['x-stack-request-id']}`;
    expect((await send('GET', action, asOwner(project))).body.undo.state).toBe('possible');
    const other = `/internal/actions/${renamed.headers['x-stack-request-id']}/undo`;
    const reasons = ['The project is deleted. Restore it first.'];
    const call = { ...asOwner(project), body: {} };
    expectKnown(await send('POST', other, call), 409, 'ACTION_NOT_REVERSIBLE', { reasons });
    const undone = await send('POST', `${action}/undo`, { ...asOwner(project), body: {} });
    expect(undone.status).toBe(200);
    expect(await listOwned(project.owner)).toContain(project.projectId);
    const undo = `/internal/actions/${undone.body.action_id}/undo`;
    expect((await send('POST', undo, { ...asOwner(project), body: {} })).status).toBe(200);
    expect(await listDeleted(project.owner)).toContain(project.projectId);
  });

  test('has previews for its owners, only of what they can do to it', async () => {
    const { project, user } = await createShop();
    await remove(project);
    const preview = (method: string, path: string) =>
      send('POST', '/internal/previews', { ...asOwner(project), body: { method, path, body: {} } });
    const erasure = { status: 200, is_reversible: false, effects: [{ kind: 'erasure', count: 1 }] };
    expect((await preview('POST', '/internal/projects/current/erase')).body).toMatchObject(erasure);
    const path = `/users/${user.userId}`;
    const { status, body } = await send('PATCH', path, { ...asOwner(project), body: {} });
    expect(status).toBeGreaterThanOrEqual(400);
    expect((await preview('PATCH', path)).body).toMatchObject({ status, error: { code: body.code } });
    expect(await listDeleted(project.owner)).toEqual([project.projectId]);
  });

  test('is erased at once without a setting', async () => {
    const project = await createProject(send);
    await remove(project);
    expect(await listDeleted(project.owner)).toEqual([]);
  });
});
