import { describe, expect, test } from 'vitest';
import { nameOf } from '../../http/define-route.ts';
import { actionsWith } from '../../testing/actions.ts';
import { changeSettings, createProject, expectKnown, signUp, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { routes } from '../all.ts';

const { api, send } = await startSuite();
const { createUser, requestPreview: preview, write } = actionsWith(send);

describe('a preview', async () => {
  const project = await createProject(send);

  test('shows what a write would answer and change, and writes nothing', async () => {
    const id = await createUser(project, { display_name: 'Ann' });
    const head = await api.deps.store.head();
    const { status, body } = await preview(project, {
      method: 'PATCH',
      path: `/users/${id}`,
      body: { display_name: 'Bob' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 200,
      body: { id, display_name: 'Bob' },
      error: null,
      changes: [
        { target: { type: 'user', id }, field: 'display_name', before: 'Ann', after: 'Bob', is_redacted: false },
      ],
      events: [{ type: 'UserRenamed', targets: [{ type: 'user', id }], text: 'Changed the display name to Bob' }],
      effects: [],
      is_reversible: true,
      irreversible_reasons: [],
      etag: expect.any(String),
    });
    expect(await api.deps.store.head()).toBe(head);
    expect((await send('GET', `/users/${id}`, { ...project, access: 'server' })).body.display_name).toBe('Ann');
  });

  test.each([
    ['user', '/users', {}],
    ['team', '/teams', { display_name: 'Crew' }],
  ])('says until when a deleted %s can be restored', async (kind, path, body) => {
    const shop = await createProject(send);
    const { id } = (await send('POST', path, { ...shop, access: 'server', body })).body;
    const deletion = { method: 'DELETE', path: `${path}/${id}` };
    const final = (await preview(shop, deletion)).body;
    expect(final).toMatchObject({ effects: [{ kind: 'erasure' }], is_reversible: false });
    await changeSettings(send, shop, { [`${kind}_deletion_grace_days`]: 30 });
    const delayed = (await preview(shop, deletion)).body;
    const text = expect.stringMatching(/^Can be restored until 20\d\d-\d\d-\d\d, then the data is erased$/);
    expect(delayed).toMatchObject({ effects: [{ kind: 'erasure_scheduled', count: 1, text }], is_reversible: true });
    const erasure = (await preview(shop, { method: 'POST', path: `/internal${path}/${id}/erase` })).body;
    expect(erasure).toMatchObject({ effects: [{ kind: 'erasure' }], is_reversible: false });
  });

  test('of the end of a session says that it cannot be undone', async () => {
    const { userId, accessToken } = await signUp(send, project);
    const sessions = await send('GET', `/auth/sessions?user_id=${userId}`, { ...project, access: 'server' });
    const [session] = sessions.body.items;
    const end = { method: 'DELETE', path: `/auth/sessions/${session.id}` };
    expect((await preview(project, end)).body).toMatchObject({
      ...{ status: 200, events: [{ type: 'SessionEnded' }], is_reversible: false },
      effects: [{ kind: 'sessions_ended', count: 1 }],
    });
    expect((await send('GET', '/users/me', { ...project, as: accessToken })).status).toBe(200);
  });

  test('of the removal of a provider can be undone', async () => {
    const shop = await createProject(send, { config: { oauth_providers: [{ id: 'google', type: 'shared' }] } });
    const body = { config: { oauth_providers: [] } };
    const removal = await preview(shop, { method: 'PATCH', path: '/internal/projects/current', body });
    expect(removal.body).toMatchObject({
      status: 200,
      events: [{ type: 'ProjectConfigChanged' }],
      is_reversible: true,
    });
  });

  test('has null for generated IDs and no secrets', async () => {
    const body = {
      description: 'new',
      expires_at_millis: Date.parse('2099-01-01'),
      has_publishable_client_key: true,
      has_secret_server_key: true,
      has_super_secret_admin_key: false,
    };
    const { body: view, text } = await preview(project, { method: 'POST', path: '/internal/api-keys', body });
    expect(view).toMatchObject({
      status: 200,
      body: { id: null, secret_server_key: null, publishable_client_key: null },
      effects: [{ kind: 'key_shown_once', count: 2 }],
      is_reversible: false,
    });
    expect(text).not.toMatch(/[sp]ck?k?_[a-z0-9]{20}/);
  });

  test('has no part of a new key', async () => {
    const shop = await createProject(send, { config: { allow_user_api_keys: true } });
    const key = { user_id: await createUser(shop), description: 'k', expires_at_millis: null };
    const { body: view } = await preview(shop, { method: 'POST', path: '/user-api-keys', body: key });
    expect(view.status).toBe(200);
    const created = view.changes.find(({ field }: { field: string }) => field === 'last_four');
    expect(created).toMatchObject({ before: null, after: null });
    expect(JSON.stringify(view)).not.toMatch(/"last_four":"/);
    const { id } = (await send('POST', '/user-api-keys', { ...shop, access: 'server', body: key })).body;
    const oldExpiresAt = Date.parse('2098-01-01');
    const body = { expires_at_millis: null, old_expires_at_millis: oldExpiresAt };
    const { body: rotation } = await preview(shop, { method: 'POST', path: `/user-api-keys/${id}/rotate`, body });
    expect(rotation).toMatchObject({
      status: 200,
      body: { id: null },
      effects: [{ kind: 'key_shown_once', count: 1 }],
    });
    const ended = rotation.changes.find(({ target }: { target: { id: string } }) => target.id === id);
    expect(ended).toMatchObject({ field: 'expires_at_millis', before: null, after: oldExpiresAt });
  });

  test('names a user whom the write creates without an ID', async () => {
    const shop = await createProject(send);
    const admin = { ...shop, access: 'admin' as const };
    await send('POST', '/project-permission-definitions', { ...admin, body: { id: 'visitor' } });
    const config = { user_default_permissions: [{ id: 'visitor' }] };
    expect((await send('PATCH', '/internal/projects/current', { ...admin, body: { config } })).status).toBe(200);
    const created = await preview(shop, { method: 'POST', path: '/users', body: { display_name: 'Ann' } });
    expect(created.body.effects).toMatchObject([
      { kind: 'permission_gained', permission_id: 'visitor', people: [{ user_id: null, display_name: 'Ann' }] },
    ]);
  });

  test('has the error of a write that would be rejected, and no ETag', async () => {
    const missing = { method: 'PATCH', path: `/users/${unknownId}`, body: { display_name: 'x' } };
    expect((await preview(project, missing)).body).toMatchObject({
      status: 404,
      body: null,
      error: { code: 'USER_NOT_FOUND', details: null },
      etag: null,
    });
    const malformed = { method: 'POST', path: '/users', body: { display_name: {} } };
    expect((await preview(project, malformed)).body).toMatchObject({ status: 400, error: { code: 'SCHEMA_ERROR' } });
  });

  test('needs the rights of the write', async () => {
    const body = { method: 'PATCH', path: '/internal/projects/current', body: { display_name: 'x' } };
    const asServer = await send('POST', '/internal/previews', { ...project, access: 'server', body });
    expect(asServer.body).toMatchObject({ status: 401, error: { code: 'INSUFFICIENT_ACCESS_TYPE' } });
  });

  test.each([
    { method: 'POST', path: '/auth/password/sign-in', body: { email: 'a@example.com', password: 'x' } },
    { method: 'POST', path: '/auth/sessions', body: { user_id: unknownId } },
    { method: 'POST', path: '/connected-accounts/me/google/access-token', body: {} },
    { method: 'POST', path: '/team-invitations/accept/check-code', body: { code: 'x' } },
    { method: 'POST', path: '/emails/send-email', body: {} },
    { method: 'POST', path: '/internal/previews', body: {} },
    { method: 'POST', path: '/nothing' },
  ])('check 23: of $method $path is not supported', async (previewed) => {
    expectKnown(await preview(project, previewed), 400, 'PREVIEW_NOT_SUPPORTED');
  });

  test('exists below /auth only for the end of a session', () => {
    const previewable = routes.filter(
      ({ path, isPreviewable }) => isPreviewable && /^\/(auth|connected-accounts)\b/.test(path),
    );
    expect(previewable.map(nameOf)).toEqual(['DELETE /api/v1/auth/sessions/:session_id']);
  });

  test('is not what a client can make of its own write', async () => {
    const id = await createUser(project);
    const rename = { method: 'PATCH', path: `/users/${id}`, body: { display_name: 'Eve' } };
    await write(project, rename, { 'x-gatebook-preview': 'guess' });
    expect((await send('GET', `/users/${id}`, { ...project, access: 'server' })).body.display_name).toBe('Eve');
  });
});
