import { describe, expect, test } from 'vitest';
import {
  type Call,
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send);
const admin = (call: Call = {}): Call => ({ ...project, access: 'admin', ...call });

const newConfig = {
  sign_up_enabled: true,
  credential_enabled: true,
  magic_link_enabled: false,
  passkey_enabled: false,
  client_team_creation_enabled: false,
  client_user_deletion_enabled: false,
  allow_user_api_keys: false,
  allow_team_api_keys: false,
  enabled_oauth_providers: [],
  allow_localhost: true,
  create_team_on_sign_up: false,
  oauth_account_merge_strategy: 'link_method',
  oauth_providers: [],
  domains: [],
  email_config: { type: 'shared' },
  team_creator_default_permissions: [{ id: 'team_admin' }],
  team_member_default_permissions: [{ id: 'team_member' }],
  user_default_permissions: [],
};
const clientKeys = [
  'sign_up_enabled',
  'credential_enabled',
  'magic_link_enabled',
  'passkey_enabled',
  'client_team_creation_enabled',
  'client_user_deletion_enabled',
  'allow_user_api_keys',
  'allow_team_api_keys',
  'enabled_oauth_providers',
];

describe('owned projects', () => {
  test('are created with the protocol’s defaults and listed in the order of ownership', async () => {
    const owner = await signUp(send);
    const first = await send('POST', '/internal/projects', { as: owner.accessToken, body: { display_name: '' } });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      display_name: '',
      description: '',
      created_at_millis: expect.any(Number),
      user_count: 0,
      is_production_mode: false,
      config: newConfig,
    });
    const second = await send('POST', '/internal/projects', {
      as: owner.accessToken,
      body: { display_name: 'B', description: null, is_production_mode: true, config: { passkey_enabled: true } },
    });
    expect(second.body).toMatchObject({ is_production_mode: true, config: { ...newConfig, passkey_enabled: true } });
    const listed = await send('GET', '/internal/projects', { as: owner.accessToken });
    expect(listed.body).toEqual({ items: [first.body, second.body], is_paginated: false });
    const stranger = await signUp(send);
    const none = await send('GET', '/internal/projects', { as: stranger.accessToken });
    expect(none.body).toEqual({ items: [], is_paginated: false });
  });

  test.each(['GET', 'POST'])('%s requires a signed-in user of internal, checked in that order', async (method) => {
    const user = await signUp(send, project);
    const body = { display_name: 'x' };
    for (const access of ['client', 'server', 'admin'] as const) {
      expectKnown(await send(method, '/internal/projects', { access, body }), 401, 'USER_AUTHENTICATION_REQUIRED');
      const call = { ...project, access, body };
      expectKnown(await send(method, '/internal/projects', call), 401, 'USER_AUTHENTICATION_REQUIRED');
      expectKnown(
        await send(method, '/internal/projects', { ...call, as: user.accessToken }),
        401,
        'EXPECTED_INTERNAL_PROJECT',
      );
    }
  });

  test('require a name', async () => {
    const owner = await signUp(send);
    const answer = await send('POST', '/internal/projects', { as: owner.accessToken, body: { config: { x: 1 } } });
    expectSchemaError(answer, 'body.display_name is required', 'body.config has unknown fields: x');
  });
});

describe('the current project', () => {
  test.each(['client', 'server', 'admin'] as const)('has the client view, as %s', async (access) => {
    const answer = await send('GET', '/projects/current', { ...project, access });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['id', 'display_name', 'config']);
    expect(Object.keys(answer.body.config)).toEqual(clientKeys);
  });

  test('can be administered at the old path only by the first 2.8 libraries', async () => {
    const headers = { 'x-stack-client-version': 'js @stackframe/js@2.8.3' };
    const read = await send('GET', '/projects/current', admin({ headers }));
    expect(read.body.config).toEqual(newConfig);
    const changed = await send('PATCH', '/projects/current', admin({ headers, body: { description: 'old path' } }));
    expect(changed).toMatchObject({ status: 200, body: { description: 'old path' } });
    for (const method of ['PATCH', 'DELETE']) {
      expectPlain(await send(method, '/projects/current', admin({ body: {} })), 405);
    }
    const asServer = await send('GET', '/projects/current', { ...project, access: 'server', headers });
    expect(Object.keys(asServer.body.config)).toEqual(clientKeys);
    const owned = await createProject(send);
    expect((await send('DELETE', '/projects/current', { ...owned, access: 'admin', headers })).status).toBe(200);
  });
});
