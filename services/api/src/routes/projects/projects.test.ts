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
const patch = (body: Record<string, unknown>, call: Call = {}) =>
  send('PATCH', '/internal/projects/current', admin({ body, ...call }));

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

describe('the managed project', () => {
  test.each(['client', 'server'] as const)('is closed to %s', async (access) => {
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/settings'],
      ['PATCH', '/settings'],
    ] as const) {
      expectKnown(
        await send(method, `/internal/projects/current${path}`, { ...project, access, body: {} }),
        401,
        'INSUFFICIENT_ACCESS_TYPE',
        { actual_access_type: access, allowed_access_types: ['admin'] },
      );
    }
  });

  test('changes only the fields of a patch; allow_localhost stays', async () => {
    const owned = await createProject(send, { config: { allow_localhost: false } });
    const call = { ...owned, access: 'admin' as const };
    const before = (await send('GET', '/internal/projects/current', call)).body;
    expect(before.config.allow_localhost).toBe(false);
    const changed = await send('PATCH', '/internal/projects/current', {
      ...call,
      body: { display_name: 'New', config: { magic_link_enabled: 'true' } },
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...before,
      display_name: 'New',
      config: { ...before.config, magic_link_enabled: true },
    });
    const described = { ...call, body: { description: 'd' } };
    expect((await send('PATCH', '/internal/projects/current', described)).body.description).toBe('d');
    const cleared = { ...call, body: { description: null } };
    expect((await send('PATCH', '/internal/projects/current', cleared)).body.description).toBe('');
    const same = await send('PATCH', '/internal/projects/current', { ...call, body: {} });
    expect(same.body).toEqual(changed.body);
  });

  test('replaces whole lists, which are returned sorted, with secrets in clear text', async () => {
    const config = {
      oauth_providers: [
        { id: 'github', type: 'shared', client_id: 'first' },
        { id: 'facebook', type: 'standard', client_id: 'fb', client_secret: 'fb secret', facebook_config_id: '7' },
        { id: 'github', type: 'standard', client_id: 'gh', client_secret: 'gh secret' },
      ],
      domains: [
        { domain: 'https://b.example.com', handler_path: '/handler' },
        { domain: 'http://A.example.com', handler_path: '/' },
      ],
      email_config: {
        type: 'standard',
        host: 'smtp.example.com',
        port: '587',
        username: 'u',
        password: 'mail secret',
        sender_name: 'App',
        sender_email: 'app@localhost',
      },
      team_creator_default_permissions: [{ id: 'team_member' }, { id: '$update_team' }],
    };
    const { body } = await patch({ config });
    expect(body.config).toMatchObject({
      enabled_oauth_providers: [{ id: 'facebook' }, { id: 'github' }],
      oauth_providers: [config.oauth_providers[1], config.oauth_providers[2]],
      domains: [config.domains[1], config.domains[0]],
      email_config: { ...config.email_config, port: 587 },
      team_creator_default_permissions: [{ id: '$update_team' }, { id: 'team_member' }],
    });
    const shared = await patch({
      config: { email_config: { type: 'shared', host: 7 }, oauth_providers: [], domains: [] },
    });
    expect(shared.body.config).toMatchObject({ email_config: { type: 'shared' }, oauth_providers: [], domains: [] });
    expect(JSON.stringify(shared.body)).not.toContain('secret');
  });

  test('rejects invalid configurations', async () => {
    expectKnown(
      await patch({ config: { oauth_providers: [{ id: 'apple', type: 'shared' }] } }),
      400,
      'INVALID_SHARED_OAUTH_PROVIDER_ID',
      { provider_id: 'apple' },
    );
    expectPlain(await patch({ config: { user_default_permissions: [{ id: 'nothing' }] } }), 400);
    expectPlain(await patch({ config: { team_member_default_permissions: [{ id: 'nothing' }] } }), 400);
    expectSchemaError(
      await patch({
        display_name: null,
        config: {
          enabled_oauth_providers: [],
          oauth_providers: [
            { id: 'github', type: 'standard', client_id: '' },
            { id: 'nobody', type: 'shared' },
          ],
          domains: [
            { domain: 'example.com', handler_path: 'handler' },
            { domain: 'ftp://example.com', handler_path: '/' },
          ],
          email_config: { type: 'standard', port: 70000 },
          oauth_account_merge_strategy: 'guess',
        },
      }),
      'body.display_name',
      'body.config has unknown fields: enabled_oauth_providers',
      'body.config.oauth_providers.0.client_id',
      'body.config.oauth_providers.1.id',
      'body.config.domains.0.domain',
      'body.config.domains.0.handler_path',
      'body.config.domains.1.domain',
      'body.config.email_config.port',
      'body.config.email_config.sender_email',
      'body.config.oauth_account_merge_strategy',
    );
  });

  test('accepts wildcards in the host name of a trusted domain, and says what is wrong with others', async () => {
    const domains = (...texts: string[]) => texts.map((domain) => ({ domain, handler_path: '/handler' }));
    const good = domains('https://**.example.com', 'https://app-*.example.com:8443');
    expect((await patch({ config: { domains: good } })).body.config.domains).toEqual(good);
    const answer = await patch({
      config: { domains: domains('https://*.com', 'https://a.com/*', 'https://*.a.com:*') },
    });
    expectSchemaError(
      answer,
      'body.config.domains.0.domain: has an invalid wildcard',
      'body.config.domains.1.domain: must have wildcards only in the host name',
      'body.config.domains.2.domain: must not have a wildcard as the port',
    );
    await patch({ config: { domains: [] } });
  });

  test('applies a changed option from the next request on', async () => {
    await patch({ config: { credential_enabled: false } });
    const signIn = await send('POST', '/auth/password/sign-in', {
      ...project,
      body: { email: 'a@example.com', password: 'x' },
    });
    expect(signIn.body.code).toBe('PASSWORD_AUTHENTICATION_NOT_ENABLED');
    await patch({ config: { credential_enabled: true } });
  });

  test('is removed from its owner’s list when deleted; internal can’t be deleted', async () => {
    const owned = await createProject(send);
    const answer = await send('DELETE', '/internal/projects/current', { ...owned, access: 'admin', body: {} });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    const listed = await send('GET', '/internal/projects', { as: owned.owner.accessToken });
    expect(listed.body.items).toEqual([]);
    expectPlain(await send('DELETE', '/internal/projects/current', { access: 'admin' }), 400);
  });
});

describe('settings beyond the protocol', () => {
  const path = '/internal/projects/current/settings';

  test('brand sign-in pages of our own clients and emails, one field at a time', async () => {
    const owned = await createProject(send);
    const call = { ...owned, access: 'admin' as const };
    const change = (branding: object) => send('PATCH', path, { ...call, body: { branding } });
    const logo_url = 'https://example.com/logo.png';
    await change({ logo_url });
    const branding = { logo_url, dark_logo_url: null, accent_color: '#AA3300' };
    expect((await change({ accent_color: '#AA3300' })).body).toMatchObject({ branding });
    const configFor = async (version: string) =>
      (await send('GET', '/projects/current', { ...owned, headers: { 'x-stack-client-version': version } })).body
        .config;
    expect(await configFor('js @gatebook/js@1.0.0')).toMatchObject({ branding });
    expect(await configFor('js @stackframe/js@2.8.108')).not.toHaveProperty('branding');
    const preview = '/internal/email-templates/magic_link/preview';
    const { html } = (await send('POST', preview, { ...call, body: {} })).body;
    expect(html).toContain(logo_url);
    expect(html).toContain('#AA3300');
    expect((await change({ logo_url: null })).body.branding).toEqual({ ...branding, logo_url: null });
    for (const logo of ['http://example.com/logo.png', 'logo.png', 7]) {
      expectSchemaError(await change({ logo_url: logo }), 'body.branding.logo_url');
    }
    expectSchemaError(await change({ accent_color: 'red' }), 'body.branding.accent_color');
  });

  test('have defaults on new projects and change one at a time', async () => {
    const owned = await createProject(send);
    const call = { ...owned, access: 'admin' as const };
    const defaults = {
      anonymous_sign_up_enabled: false,
      keyless_clients_allowed: true,
      reauthentication_required: false,
      email_verification_required: false,
      security_notices_enabled: true,
      breached_passwords_rejected: true,
      min_password_length: 8,
      branding: { logo_url: null, dark_logo_url: null, accent_color: null },
      session_lifetime_hours: 8_760,
      access_token_lifetime_seconds: null,
      rejection_retention_days: 90,
      quotas: expect.objectContaining({ teams_per_user: 100 }),
    };
    expect((await send('GET', path, call)).body).toMatchObject(defaults);
    const off = { security_notices_enabled: false, breached_passwords_rejected: false };
    expect((await send('PATCH', path, { ...call, body: off })).body).toMatchObject({ ...defaults, ...off });
    const changed = await send('PATCH', path, { ...call, body: { anonymous_sign_up_enabled: true } });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...defaults, ...off, anonymous_sign_up_enabled: true },
    });
    expect((await send('GET', path, call)).body).toEqual(changed.body);
    expectSchemaError(await send('PATCH', path, { ...call, body: { other: true } }), 'body has unknown fields: other');
    for (const days of [1, 365]) {
      const retained = await send('PATCH', path, { ...call, body: { rejection_retention_days: days } });
      expect(retained.body).toEqual({ ...changed.body, rejection_retention_days: days });
    }
    for (const days of [0, 366, 1.5]) {
      const body = { rejection_retention_days: days };
      expectSchemaError(await send('PATCH', path, { ...call, body }), 'body.rejection_retention_days');
    }
  });

  test('limit lifetimes of sessions and access tokens', async () => {
    const owned = await createProject(send);
    const change = (body: object) => send('PATCH', path, { ...owned, access: 'admin', body });
    const lifetimes = { session_lifetime_hours: 1, access_token_lifetime_seconds: 61 };
    for (const body of [lifetimes, { session_lifetime_hours: 8_760, access_token_lifetime_seconds: 3_600 }]) {
      expect((await change(body)).body).toMatchObject(body);
    }
    expect((await change({ access_token_lifetime_seconds: null })).body.access_token_lifetime_seconds).toBeNull();
    for (const [name, values] of Object.entries({
      session_lifetime_hours: [0, 8_761, 1.5, null],
      access_token_lifetime_seconds: [60, 3_601, 61.5],
    })) {
      for (const value of values) expectSchemaError(await change({ [name]: value }), `body.${name}`);
    }
  });

  test('that are changed at the same time all change', async () => {
    const owned = await createProject(send);
    const call = { ...owned, access: 'admin' as const };
    const bodies = [
      { user_deletion_grace_days: 30 },
      { rejection_retention_days: 7 },
      { security_notices_enabled: false },
      { keyless_clients_allowed: false },
    ];
    await Promise.all(bodies.map((body) => send('PATCH', path, { ...call, body })));
    expect((await send('GET', path, call)).body).toMatchObject(Object.assign({}, ...bodies));
  });

  test('of internal enable anonymous sign-up and require a publishable key', async () => {
    expect((await send('GET', path, { access: 'admin' })).body).toMatchObject({
      anonymous_sign_up_enabled: true,
      keyless_clients_allowed: false,
    });
  });
});
