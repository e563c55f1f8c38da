import { createOAuthProviders } from '@gatebook/oauth/client';
import { startProviderServer } from '@gatebook/oauth/testing/provider-server';
import { afterAll, describe, expect, test } from 'vitest';
import { createProject, expectSchemaError, type OwnedProject } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const server = await startProviderServer();
afterAll(() => server.close());
const { send } = await startSuite({
  overrides: ({ now }) => ({
    oauthProviders: createOAuthProviders({ sharedKeys: {}, sharedIssuer: null, allowPrivate: true, now }),
  }),
});
const path = '/internal/projects/current/openid-providers';
const acme = {
  display_name: 'Acme',
  issuer: 'https://id.acme.example',
  client_id: 'shop',
  client_secret: 'swordfish',
};
const callback_url = 'http://localhost:8102/api/v1/auth/oauth/callback/acme';
const github = { id: 'github', type: 'standard', client_id: 'gh-client', client_secret: 'gh-secret' };
const asAdmin = (project: OwnedProject) => ({ ...project, access: 'admin' as const });
const put = (project: OwnedProject, id = 'acme', changes: Partial<typeof acme> = {}) =>
  send('PUT', `${path}/${id}`, { ...asAdmin(project), body: { ...acme, ...changes } });
const list = async (project: OwnedProject) => (await send('GET', path, asAdmin(project))).body.items;

async function withAcme() {
  const project = await createProject(send, { config: { oauth_providers: [github] } });
  await put(project);
  return project;
}

test('a provider is added, replaced and removed', async () => {
  const project = await createProject(send);
  expect((await put(project)).body).toEqual({ id: 'acme', ...acme, callback_url });
  await put(project, 'acme', { display_name: 'Acme 2', client_secret: 'other' });
  const changed = { id: 'acme', ...acme, display_name: 'Acme 2', client_secret: 'other', callback_url };
  expect(await list(project)).toEqual([changed]);
  await send('DELETE', `${path}/acme`, { ...asAdmin(project), body: {} });
  expect(await list(project)).toEqual([]);
});

test('changes of a provider have previews, without its secret', async () => {
  const project = await withAcme();
  const preview = async (previewed: { method: string; path: string; body?: object }) => {
    const answer = await send('POST', '/internal/previews', { ...asAdmin(project), body: previewed });
    expect(answer.text).not.toContain(acme.client_secret);
    return answer.body;
  };
  const body = { ...acme, display_name: 'Acme 2' };
  expect(await preview({ method: 'PUT', path: `${path}/acme`, body })).toMatchObject({
    status: 200,
    body: { id: 'acme', display_name: 'Acme 2', client_secret: null },
    changes: [{ before: 'Acme', after: 'Acme 2' }],
    is_reversible: true,
  });
  expect(await preview({ method: 'DELETE', path: `${path}/acme`, body: {} })).toMatchObject({
    status: 200,
    events: [{ type: 'ProjectConfigChanged' }],
    is_reversible: true,
  });
  expect(await list(project)).toEqual([{ id: 'acme', ...acme, callback_url }]);
});

test.each([
  ['github', {}],
  ['Acme', {}],
  ['acme', { issuer: 'https://id.acme.example/.well-known/openid-configuration' }],
  ['acme', { issuer: 'https://169.254.169.254' }],
  ['acme', { display_name: ' ' }],
  ['acme', { client_secret: '' }],
])('%s with %j is rejected', async (id, changes) => {
  const project = await createProject(send);
  expectSchemaError(await put(project, id, changes));
  expect(await list(project)).toEqual([]);
});

test('published clients see the ID, ours also the name', async () => {
  const project = await withAcme();
  const enabled = async (version?: string) => {
    const headers: Record<string, string> = version === undefined ? {} : { 'x-stack-client-version': version };
    return (await send('GET', '/projects/current', { ...project, headers })).body.config.enabled_oauth_providers;
  };
  const ids = [{ id: 'acme' }, { id: 'github' }];
  expect(await enabled()).toEqual(ids);
  expect(await enabled('js @stackframe/js@2.8.3')).toEqual(ids);
  expect(await enabled('js @gatebook/js@0.1.0')).toEqual([{ id: 'acme', display_name: 'Acme' }, { id: 'github' }]);
});

test('the provider list of the protocol neither shows nor changes it', async () => {
  const project = await withAcme();
  const current = () => send('GET', '/internal/projects/current', asAdmin(project));
  expect((await current()).body.config.oauth_providers).toEqual([github]);
  const gitlab = { ...github, id: 'gitlab' };
  const body = { config: { oauth_providers: [gitlab] } };
  const patched = await send('PATCH', '/internal/projects/current', { ...asAdmin(project), body });
  expect(patched.body.config).toMatchObject({
    oauth_providers: [gitlab],
    enabled_oauth_providers: [{ id: 'acme' }, { id: 'gitlab' }],
  });
  expect(await list(project)).toEqual([{ id: 'acme', ...acme, callback_url }]);
});

describe('the configuration document', () => {
  const document = async (project: OwnedProject) =>
    JSON.parse((await send('GET', '/internal/config', asAdmin(project))).body.config_string);
  const set = (project: OwnedProject, changes: Record<string, unknown>) =>
    send('PATCH', '/internal/config/override/environment', {
      ...asAdmin(project),
      body: { config_override_string: JSON.stringify(changes) },
    });
  const entry = {
    type: 'openid',
    isShared: false,
    issuer: acme.issuer,
    clientId: acme.client_id,
    clientSecret: acme.client_secret,
    displayName: acme.display_name,
    allowSignIn: true,
    allowConnectedAccounts: true,
  };

  test('contains the provider', async () => {
    const { auth } = await document(await withAcme());
    expect(auth.oauth.providers.acme).toEqual(entry);
  });

  test('adds, changes and removes it', async () => {
    const project = await createProject(send);
    expect((await set(project, { 'auth.oauth.providers.acme': entry })).body).toEqual({ success: true });
    expect(await list(project)).toEqual([{ id: 'acme', ...acme, callback_url }]);
    await set(project, { 'auth.oauth.providers.acme.clientId': 'new', 'auth.password.allowSignIn': false });
    expect(await list(project)).toEqual([{ id: 'acme', ...acme, client_id: 'new', callback_url }]);
    await set(project, { 'auth.oauth.providers.acme': null });
    expect(await list(project)).toEqual([]);
  });

  test.each([
    [{ issuer: 'http://id.acme.example' }, 'issuer: must begin with https://'],
    [{ issuer: undefined }, 'issuer: is required'],
    [{ displayName: undefined }, 'displayName: is required'],
    [{ isShared: true }, 'isShared: must be false'],
    [{ clientSecret: undefined }, 'clientSecret: is required'],
  ])('with %j is rejected', async (changes, message) => {
    const project = await createProject(send);
    const answer = await set(project, { 'auth.oauth.providers.acme': { ...entry, ...changes } });
    expectSchemaError(answer, message);
    const taken = await set(project, { 'auth.oauth.providers.google': { ...entry } });
    expectSchemaError(taken, 'is the ID of another sign-in method');
  });
});

test('an issuer is tested as a sign-in would use it', async () => {
  const project = await createProject(send);
  const tryIt = async () =>
    (await send('POST', `${path}/test`, { ...asAdmin(project), body: { issuer: server.url } })).body;
  expect(await tryIt()).toEqual({ is_usable: false, reason: 'status', detail: '404' });
  const metadata = { issuer: server.url, authorization_endpoint: `${server.url}/auth`, token_endpoint: server.url };
  server.tell({
    '/.well-known/openid-configuration': { json: { ...metadata, jwks_uri: `${server.url}/keys` } },
    '/keys': { json: { keys: [{ kty: 'RSA' }] } },
  });
  expect(await tryIt()).toEqual({ is_usable: true, reason: null, detail: null });
});
