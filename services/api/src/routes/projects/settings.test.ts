import { describe, expect, test } from 'vitest';
import { createProject, expectSchemaError } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();

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
