import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errorUrl, newPerson, projectsOf, toldError } from '../../testing/oauth.ts';
import { changeConfig, expectKnown, expectPlain, newEmail } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const projectWith = projectsOf(api);

describe('the provider callback', () => {
  test('signs up, then signs in, and gives the app tokens', async () => {
    const { signIn, project } = await projectWith({ create_team_on_sign_up: true });
    const ann = newPerson({ displayName: 'Ann', profileImageUrl: 'https://img.example/ann.png' });
    const after = { after_callback_redirect_url: 'http://localhost:3000/welcome' };
    const first = await signIn('google', ann, after);
    expect(first).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.stringMatching(/^[0-9a-z]{45}$/),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'legacy',
      is_new_user: true,
      newUser: true,
      after_callback_redirect_url: after.after_callback_redirect_url,
      afterCallbackRedirectUrl: after.after_callback_redirect_url,
    });
    const me = (await send('GET', '/users/me', { ...project, as: first.access_token })).body;
    expect(me).toMatchObject({
      display_name: 'Ann',
      profile_image_url: 'https://img.example/ann.png',
      primary_email: ann.email,
      primary_email_verified: true,
      has_password: false,
      auth_with_email: false,
      oauth_providers: [{ id: 'google', account_id: ann.accountId, email: ann.email }],
      selected_team: { display_name: "Ann's Team" },
    });
    const again = await signIn('google', { ...ann, displayName: 'Other', email: newEmail() });
    expect(again).toMatchObject({ is_new_user: false, newUser: false, after_callback_redirect_url: null });
    const later = (await send('GET', '/users/me', { ...project, as: again.access_token })).body;
    expect(later).toEqual(me);
    const refreshed = await send('POST', '/auth/sessions/current/refresh', {
      ...project,
      headers: { 'x-stack-refresh-token': again.refresh_token },
    });
    expect(refreshed.status).toBe(200);
    const history = await send('GET', `/internal/users/${me.id}/history`, { ...project, access: 'admin' });
    const texts = history.body.items.map(({ text }: { text: string }) => text);
    expect(texts).toContain('Signed in with an OAuth provider');
    expect(texts).toContain(`Connected the account ${ann.email} at Google`);
  });

  test('accepts a form and redirects to the app with GET', async () => {
    const { begin, open } = await projectWith();
    const { state, cookie } = await begin('apple');
    const form = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const url = '/api/v1/auth/oauth/callback/apple';
    const denied = await open('POST', url, form, `${new URLSearchParams({ state, error: 'access_denied' })}`);
    expect(toldError(denied)).toEqual({ status: 303, code: 'OAUTH_PROVIDER_ACCESS_DENIED', details: {} });
  });

  test('works once, only with the cookie of the browser that started', async () => {
    const { begin, comeBack, open } = await projectWith();
    const gone = await begin('google');
    const url = `/api/v1/auth/oauth/callback/google?state=${gone.state}&code=x`;
    for (const cookie of [undefined, `stack-oauth-inner-${gone.state}=`, (await begin('google')).cookie]) {
      expectPlain(await open('GET', url, cookie === undefined ? {} : { cookie }), 400);
    }
    for (const state of ['', 'x', `${gone.state}%0d%0aSet-Cookie:a=b`]) {
      const answer = await open('GET', `/api/v1/auth/oauth/callback/google?state=${state}`, { cookie: gone.cookie });
      expectPlain(answer, 400);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    const back = await comeBack('google', gone, newPerson());
    expect(back.status).toBe(303);
    expect(back.headers['set-cookie']).toMatch(new RegExp(`^stack-oauth-inner-${gone.state}=; .*Max-Age=0`));
    expectPlain(await comeBack('google', gone, newPerson()), 400);
  });

  test('accepts one of many concurrent requests', async () => {
    const { begin, comeBack, project } = await projectWith();
    const gone = await begin('google');
    const ann = newPerson();
    const answers = await Promise.all(Array.from({ length: 20 }, () => comeBack('google', gone, ann)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    const users = await send('GET', '/users', { ...project, access: 'server' });
    expect(users.body.items).toEqual([]);
  });

  test('rejects responses of another provider and late responses', async () => {
    const { begin, comeBack } = await projectWith();
    const mixedUp = await comeBack('github', await begin('google'), newPerson());
    expect(toldError(mixedUp)).toEqual({ status: 307, code: 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED', details: {} });
    const gone = await begin('google');
    api.advance(10 * 60_000);
    expect(toldError(await comeBack('google', gone, newPerson()))).toMatchObject({ code: 'OUTER_OAUTH_TIMEOUT' });
    const early = await begin('google');
    api.advance(9 * 60_000);
    expect((await comeBack('google', early, newPerson())).status).toBe(303);
  });

  test.each([
    [
      'a provider that was disabled in the meantime',
      { oauth_providers: [] },
      'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    ],
    ['disabled sign-up', { sign_up_enabled: false }, 'SIGN_UP_NOT_ENABLED'],
  ])('%s', async (_, config, code) => {
    const { begin, comeBack, project } = await projectWith();
    const gone = await begin('google');
    await changeConfig(send, project, config);
    expect(toldError(await comeBack('google', gone, newPerson()))).toMatchObject({ code });
    expect((await send('GET', '/users', { ...project, access: 'server' })).body.items).toEqual([]);
  });

  test('requires a trusted redirect URL and writes nothing otherwise', async () => {
    const { begin, comeBack, project } = await projectWith({
      domains: [{ domain: 'https://app.example', handler_path: '/h' }],
    });
    const bad = [
      'https://evil.example/x',
      'https://app.example.evil.example',
      'https://app.example@evil.example',
      'javascript:alert(1)',
    ];
    for (const redirect_uri of bad) {
      const answer = await comeBack('google', await begin('google', { redirect_uri }), newPerson());
      expect(toldError(answer)).toMatchObject({ code: 'REDIRECT_URL_NOT_WHITELISTED' });
    }
    expect((await send('GET', '/users', { ...project, access: 'server' })).body.items).toEqual([]);
    const good = await comeBack(
      'google',
      await begin('google', { redirect_uri: 'https://app.example/h?x=1&code=old#there' }),
      newPerson(),
    );
    const location = new URL(String(good.headers.location));
    expect(location.href).toMatch(/^https:\/\/app\.example\/h\?x=1&code=[0-9a-f]{64}&state=state-of-the-app$/);
  });

  test('never redirects to an untrusted error URL, which does not affect successful sign-ins', async () => {
    const { begin, comeBack } = await projectWith({ sign_up_enabled: false });
    const elsewhere = { error_redirect_url: 'https://evil.example/' };
    expectKnown(await comeBack('google', await begin('google', elsewhere), newPerson()), 400, 'SIGN_UP_NOT_ENABLED');
    const none = { error_redirect_url: undefined };
    expectKnown(
      await comeBack('google', await begin('google', none), { error: 'access_denied' }),
      400,
      'OAUTH_PROVIDER_ACCESS_DENIED',
    );
    const older = { error_redirect_url: 'https://evil.example/', error_redirect_uri: errorUrl };
    expect(toldError(await comeBack('google', await begin('google', older), newPerson()))).toMatchObject({
      code: 'SIGN_UP_NOT_ENABLED',
    });
    const open = await projectWith();
    expect((await open.comeBack('google', await open.begin('google', elsewhere), newPerson())).status).toBe(303);
  });

  test('redirects only to the project’s own URLs, whatever redirect URL is requested', async () => {
    const rules = { allow_localhost: false, domains: [{ domain: 'https://app.example/h', handler_path: '/handler' }] };
    const { begin, authorize, comeBack } = await projectWith(rules);
    const piece = fc.constantFrom(
      ...['https:', 'http:', 'javascript:', 'data:', '//', '/', '\\', '@', ':', '#', '?', '.', '..', '%2f', '%00', ' '],
      ...['app.example', 'evil.example', 'localhost', '127.0.0.1', 'h', 'handler', '443', 'x'],
    );
    const address = fc.oneof(
      fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.array(piece, { maxLength: 5 }).map((pieces) => `https://app.example${pieces.join('')}`),
      fc.array(piece, { maxLength: 3 }).map((pieces) => `https://app.example/h${pieces.join('')}`),
      fc.webUrl(),
    );
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(address, address, fc.boolean(), async (redirect_uri, error_redirect_url, isDenied) => {
        const parameters = { redirect_uri, error_redirect_url };
        if ((await authorize('google', parameters)).status !== 307) return;
        const answer = await comeBack(
          'google',
          await begin('google', parameters),
          isDenied ? { error: 'access_denied' } : newPerson(),
        );
        expect(answer.status).toBeLessThan(500);
        const { location } = answer.headers;
        if (location === undefined) return;
        sent += 1;
        const { origin, pathname, username, password } = new URL(String(location));
        expect({ origin, username, password }).toEqual({ origin: 'https://app.example', username: '', password: '' });
        expect(pathname).toMatch(/^\/h(\/|$)/);
      }),
      { numRuns: 150, seed: 5 },
    );
    expect(sent).toBeGreaterThan(5);
  });

  test.each([
    'OAUTH_PROVIDER_CODE_REJECTED',
    'OAUTH_PROVIDER_KEYS_REJECTED',
    'OAUTH_PROVIDER_SCOPE_REJECTED',
    'OAUTH_PROVIDER_RESPONSE_INVALID',
    'OAUTH_PROVIDER_UNREACHABLE',
    'OAUTH_PROVIDER_EMAIL_MISSING',
  ] as const)('a misbehaving provider (%s) gets a clear error and leaves nothing behind', async (fault) => {
    const { begin, comeBack, project } = await projectWith();
    const gone = await begin('google');
    expectPlain(await comeBack('google', gone, { fault }), 400);
    expectPlain(await comeBack('google', gone, newPerson()), 400);
    expect((await send('GET', '/users', { ...project, access: 'server' })).body.items).toEqual([]);
  });

  test('creates no contact channel for an account without an email', async () => {
    const { signIn, project } = await projectWith();
    const { access_token: as } = await signIn('google', { accountId: 'quiet', displayName: 'Quiet' });
    expect((await send('GET', '/users/me', { ...project, as })).body).toMatchObject({
      display_name: 'Quiet',
      primary_email: null,
      oauth_providers: [{ id: 'google', account_id: 'quiet', email: null }],
    });
  });
});
