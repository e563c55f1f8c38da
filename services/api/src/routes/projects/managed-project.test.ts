import { describe, expect, test } from 'vitest';
import { createProject, expectKnown, expectPlain, expectSchemaError } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send);

const patch = (body: Record<string, unknown>) =>
  send('PATCH', '/internal/projects/current', { ...project, access: 'admin', body });

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
