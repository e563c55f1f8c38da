import { expect, test } from 'vitest';
import { type Call, changeSettings, createProject, expectKnown, expectPlain, signUp } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const other = await createProject(send);
await changeSettings(send, project, { keyless_clients_allowed: false });
let user = await signUp(send, project);

const get = (headers: Record<string, string>, path = '/users/me') => inject('GET', path, headers);

/** Nothing but the given headers. */
async function inject(method: 'GET' | 'POST', path: string, headers: Record<string, string>, payload?: string) {
  const answer = await api.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return {
    status: answer.statusCode,
    body: isJson ? answer.json() : answer.body,
    text: answer.body,
    headers: answer.headers,
  };
}

const client = () => ({
  'x-stack-access-type': 'client',
  'x-stack-project-id': project.projectId,
  'x-stack-publishable-client-key': project.keys.client,
});

test('a key or an admin token without an access type is rejected', async () => {
  for (const name of ['publishable-client-key', 'secret-server-key', 'super-secret-admin-key', 'admin-access-token']) {
    expectKnown(await get({ [`x-stack-${name}`]: 'x' }), 400, 'PROJECT_KEY_WITHOUT_ACCESS_TYPE');
  }
});

test('without an access type, all other headers are ignored, even an access token', async () => {
  const answer = await get({ 'x-stack-project-id': 'x', 'x-stack-access-token': 'garbage' });
  expectKnown(answer, 400, 'ACCESS_TYPE_REQUIRED');
});

test('an unknown access type is rejected, and the error names it', async () => {
  const answer = await get({ ...client(), 'x-stack-access-type': 'root' });
  expectKnown(answer, 400, 'INVALID_ACCESS_TYPE');
  expect(answer.body.error).toContain('root');
});

test('an access type requires a project ID', async () => {
  const answer = await get({ 'x-stack-access-type': 'server', 'x-stack-access-token': 'garbage' });
  expectKnown(answer, 400, 'ACCESS_TYPE_WITHOUT_PROJECT_ID', { request_type: 'server' });
});

test('the access token is checked before the key', async () => {
  const headers = { ...client(), 'x-stack-publishable-client-key': 'pck_wrong' };
  expectKnown(await get({ ...headers, 'x-stack-access-token': 'garbage' }), 401, 'UNPARSABLE_ACCESS_TOKEN');
  expectKnown(await get({ ...headers, 'x-stack-access-token': 'undefined' }), 401, 'UNPARSABLE_ACCESS_TOKEN');
  const foreign = await signUp(send, other);
  expectKnown(
    await get({ ...headers, 'x-stack-access-token': foreign.accessToken }),
    401,
    'INVALID_PROJECT_FOR_ACCESS_TOKEN',
    { expected_project_id: project.projectId, actual_project_id: other.projectId },
  );
});

test('only the key of the stated access type counts', async () => {
  const all = {
    'x-stack-project-id': project.projectId,
    'x-stack-publishable-client-key': project.keys.client,
    'x-stack-secret-server-key': project.keys.server,
    'x-stack-super-secret-admin-key': project.keys.admin,
  };
  const headersOf = { client: 'publishable-client', server: 'secret-server', admin: 'super-secret-admin' } as const;
  const codes = {
    client: ['CLIENT_AUTHENTICATION_REQUIRED', 'INVALID_PUBLISHABLE_CLIENT_KEY'],
    server: ['SERVER_AUTHENTICATION_REQUIRED', 'INVALID_SECRET_SERVER_KEY'],
    admin: ['ADMIN_AUTHENTICATION_REQUIRED', 'INVALID_SUPER_SECRET_ADMIN_KEY'],
  } as const;
  for (const type of ['client', 'server', 'admin'] as const) {
    const headers = { ...all, 'x-stack-access-type': type };
    const keyHeader = `x-stack-${headersOf[type]}-key`;
    expect((await get(headers, '/projects/current')).status).toBe(200);
    expectKnown(await get({ ...headers, [keyHeader]: '' }, '/projects/current'), 401, codes[type][0]);
    // The key of another kind, of another project, and none that was ever made.
    for (const wrong of [project.keys[type === 'client' ? 'server' : 'client'], other.keys[type], 'pck_no']) {
      expectKnown(await get({ ...headers, [keyHeader]: wrong }, '/projects/current'), 401, codes[type][1], {
        project_id: project.projectId,
      });
    }
  }
});

test('an unknown project is reported as a wrong key', async () => {
  const answer = await get({ ...client(), 'x-stack-project-id': 'nowhere' });
  expectKnown(answer, 401, 'INVALID_PUBLISHABLE_CLIENT_KEY', { project_id: 'nowhere' });
});

test('only branch main exists, and only callers with a valid key can find out', async () => {
  expectKnown(await get({ ...client(), 'x-stack-branch-id': 'dev' }), 400, 'BRANCH_DOES_NOT_EXIST', {
    branch_id: 'dev',
  });
  expectKnown(
    await get({ ...client(), 'x-stack-branch-id': 'dev', 'x-stack-publishable-client-key': 'no' }),
    401,
    'INVALID_PUBLISHABLE_CLIENT_KEY',
    { project_id: project.projectId },
  );
  expect((await get({ ...client(), 'x-stack-branch-id': 'main' }, '/projects/current')).status).toBe(200);
});

test('access errors are reported before schema errors', async () => {
  const answer = await send('POST', '/users?nonsense=1', { ...project, body: { nonsense: true } });
  expectKnown(answer, 401, 'INSUFFICIENT_ACCESS_TYPE', {
    actual_access_type: 'client',
    allowed_access_types: ['server', 'admin'],
  });
});

test('a malformed body is reported before the caller is checked', async () => {
  const headers = { 'x-stack-access-type': 'root', 'content-type': 'application/json' };
  expect((await inject('POST', '/users', headers, '{')).body.code).toBe('BODY_PARSING_ERROR');
});

test('x-hexclave- is a second spelling of every header', async () => {
  const answer = await get(
    {
      'x-hexclave-access-type': 'client',
      'x-hexclave-project-id': project.projectId,
      'x-hexclave-publishable-client-key': project.keys.client,
      'x-hexclave-access-token': user.accessToken,
      'x-stack-access-token': '',
    },
    '/users/me',
  );
  expect(answer).toMatchObject({ status: 200, body: { id: user.userId } });
});

test('the user token of a server call only determines `me`', async () => {
  const answer = await send('GET', '/users/me', { ...project, access: 'server', as: user.accessToken });
  expect(answer.body).toMatchObject({ id: user.userId, server_metadata: null });
});

test('the error of an expired access token says when it expired', async () => {
  const short = await signUp(send, project);
  api.advance(600_000);
  const answer = await get({ ...client(), 'x-stack-access-token': short.accessToken });
  expectKnown(answer, 401, 'ACCESS_TOKEN_EXPIRED', { expired_at_millis: expect.any(Number) });
  expect(answer.body.details.expired_at_millis).toBe(expiryOf(short.accessToken));
  user = await signUp(send, project);
});

const expiryOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).exp * 1000;

test('the access token of an ended session counts as expired, without a time', async () => {
  const leaving = await signUp(send, project);
  expect((await send('DELETE', '/auth/sessions/current', { ...project, as: leaving.accessToken })).status).toBe(200);
  const answer = await send('GET', '/users/me', { ...project, as: leaving.accessToken });
  expectKnown(answer, 401, 'ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
  expect(answer.body.error).toContain('its session has ended');
});

test('the access token of a deleted user counts as no user', async () => {
  const leaving = await signUp(send, project);
  await send('DELETE', `/users/${leaving.userId}`, { ...project, access: 'server' });
  expectKnown(
    await send('GET', '/users/me', { ...project, as: leaving.accessToken }),
    400,
    'CANNOT_GET_OWN_USER_WITHOUT_USER',
  );
});

const asOwner = (accessToken: string, call: Call = {}): Call => ({
  projectId: project.projectId,
  access: 'admin',
  ...call,
  headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': accessToken },
});

test('an owner’s token replaces the key at every access level', async () => {
  const owner = await newOwner();
  const call = asOwner(owner.accessToken, { projectId: owner.projectId });
  expect((await send('GET', '/internal/projects/current', call)).status).toBe(200);
  expect((await send('GET', '/users', { ...call, access: 'server' })).status).toBe(200);
  expect((await send('GET', '/projects/current', { ...call, access: 'client' })).status).toBe(200);
});

async function newOwner() {
  const owned = await createProject(send);
  return { ...owned.owner, projectId: owned.projectId, keys: owned.keys };
}

test('an admin access token must be valid, of internal and of an owner', async () => {
  const stranger = await signUp(send);
  const ofProject = await signUp(send, project);
  const path = '/internal/projects/current';
  expectKnown(await send('GET', path, asOwner('garbage')), 401, 'UNPARSABLE_ADMIN_ACCESS_TOKEN');
  expectKnown(await send('GET', path, asOwner(ofProject.accessToken)), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
  expectKnown(await send('GET', path, asOwner(stranger.accessToken)), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
});

test('an invalid admin access token is rejected even with a correct key', async () => {
  const answer = await send('GET', '/internal/projects/current', {
    ...project,
    access: 'admin',
    headers: { 'x-stack-admin-access-token': 'garbage' },
  });
  expectKnown(answer, 401, 'UNPARSABLE_ADMIN_ACCESS_TOKEN');
});

test('the error of an expired admin access token says when it expired, except to libraries that fail on a number', async () => {
  const owner = await newOwner();
  const call = asOwner(owner.accessToken, { projectId: owner.projectId });
  api.advance(600_000);
  const answer = await send('GET', '/internal/projects/current', call);
  expectKnown(answer, 401, 'ADMIN_ACCESS_TOKEN_EXPIRED', { expired_at_millis: expiryOf(owner.accessToken) });
  const headers = { ...call.headers, 'x-stack-client-version': 'js @stackframe/js@2.8.3' };
  expectKnown(
    await send('GET', '/internal/projects/current', { ...call, headers }),
    401,
    'ADMIN_ACCESS_TOKEN_EXPIRED',
    {
      expired_at_millis: null,
    },
  );
});

test('an owner who signed out or was deleted loses admin access', async () => {
  const owner = await newOwner();
  const call = asOwner(owner.accessToken, { projectId: owner.projectId });
  await send('DELETE', '/auth/sessions/current', { as: owner.accessToken });
  const answer = await send('GET', '/internal/projects/current', call);
  expectKnown(answer, 401, 'ADMIN_ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
  expect(answer.body.error).toContain('its session has ended');
  await send('DELETE', `/users/${owner.userId}`, { access: 'server' });
  expectPlain(await send('GET', '/internal/projects/current', call), 401);
});

test('a revoked or expired key is rejected at the next request', async () => {
  const owned = await createProject(send);
  const call = { ...owned, access: 'admin' as const };
  const [key] = (await send('GET', '/internal/api-keys', call)).body.items;
  await send('PATCH', `/internal/api-keys/${key.id}`, { ...call, body: { revoked: true } });
  for (const path of ['/projects/current', '/internal/api-keys']) {
    expectKnown(await send('GET', path, call), 401, 'INVALID_SUPER_SECRET_ADMIN_KEY', {
      project_id: owned.projectId,
    });
  }
});

test('an expired key is rejected, also right after it was accepted', async () => {
  const created = await send('POST', '/internal/api-keys', {
    ...project,
    access: 'admin',
    body: {
      description: 'short',
      expires_at_millis: Date.parse(api.deps.now()) + 60_000,
      has_publishable_client_key: true,
      has_secret_server_key: true,
      has_super_secret_admin_key: false,
    },
  });
  const { publishable_client_key: client, secret_server_key: server } = created.body;
  const keys = { ...project.keys, client, server };
  expect((await send('GET', '/users', { ...project, keys, access: 'server' })).status).toBe(200);
  expect((await send('GET', '/projects/current', { ...project, keys })).status).toBe(200);
  api.advance(60_001);
  expectKnown(await send('GET', '/projects/current', { ...project, keys }), 401, 'INVALID_PUBLISHABLE_CLIENT_KEY', {
    project_id: project.projectId,
  });
  expectKnown(await send('GET', '/users', { ...project, keys, access: 'server' }), 401, 'INVALID_SECRET_SERVER_KEY', {
    project_id: project.projectId,
  });
});

test('clients without a key are accepted unless the project requires one', async () => {
  const owned = await createProject(send);
  const keyless = { ...owned, headers: { 'x-stack-publishable-client-key': '' } };
  expect((await send('GET', '/projects/current', keyless)).status).toBe(200);
  const named = { ...owned, headers: { 'x-stack-publishable-client-key': '__stack_public_client__' } };
  expect((await send('GET', '/projects/current', named)).status).toBe(200);
  // A key that was sent still has to be right.
  const wrong = { ...owned, headers: { 'x-stack-publishable-client-key': 'pck_wrong' } };
  expectKnown(await send('GET', '/projects/current', wrong), 401, 'INVALID_PUBLISHABLE_CLIENT_KEY', {
    project_id: owned.projectId,
  });
  await changeSettings(send, owned, { keyless_clients_allowed: false });
  expectKnown(await send('GET', '/projects/current', keyless), 401, 'CLIENT_AUTHENTICATION_REQUIRED');
  expectKnown(await send('GET', '/projects/current', named), 401, 'INVALID_PUBLISHABLE_CLIENT_KEY', {
    project_id: owned.projectId,
  });
});

test('keys and tokens of a deleted project stop working at once', async () => {
  const owned = await createProject(send);
  await send('DELETE', '/internal/projects/current', { ...owned, access: 'admin' });
  expectKnown(await send('GET', '/projects/current', owned), 401, 'INVALID_PUBLISHABLE_CLIENT_KEY', {
    project_id: owned.projectId,
  });
  expectKnown(
    await send('GET', '/internal/projects/current', asOwner(owned.owner.accessToken, { projectId: owned.projectId })),
    401,
    'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN',
  );
});
