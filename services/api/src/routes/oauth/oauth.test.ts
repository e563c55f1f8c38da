import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { browserOf, challenge, errorUrl, redirectUri, toldError, verifier } from '../../testing/oauth.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  type OwnedProject,
  type Send,
  senderOf,
  signUp,
} from '../../testing/requests.ts';

let api: TestApi;
let send: Send;

beforeAll(async () => {
  api = await startTestApi();
  send = senderOf(api);
});
afterAll(() => api.close());

const github = { id: 'github', type: 'standard', client_id: 'gh-client', client_secret: 'gh-secret' };
const providers = [{ id: 'google', type: 'shared' }, github, { ...github, id: 'apple' }];

async function projectWith(config: Record<string, unknown> = {}) {
  const project = await createProject(send, { config: { oauth_providers: providers, ...config } });
  return { project, ...browserOf(api, project) };
}

const change = (project: OwnedProject, config: Record<string, unknown>) =>
  send('PATCH', '/internal/projects/current', { ...project, access: 'admin', body: { config } });

let count = 0;
/** Somebody new at a provider. */
function person(changes: Record<string, unknown> = {}) {
  count += 1;
  return { accountId: `account-${count}`, email: newEmail(), isEmailVerified: true, ...changes };
}

describe('authorize', () => {
  test('sends the browser to the provider, tied to it by a cookie', async () => {
    const { begin, authorize } = await projectWith();
    const { location, state } = await begin('GitHub', { provider_scope: 'repo user:email' });
    expect(location.origin).toBe('https://github.example');
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: 'gh-client',
      redirect_uri: 'http://localhost:8102/api/v1/auth/oauth/callback/github',
      state,
      scope: 'user:email repo user:email',
    });
    expect(state).toMatch(/^[\w-]{43}$/);
    const { headers } = await authorize('github');
    expect(headers['set-cookie']).toMatch(/=true; Path=\/; HttpOnly; Max-Age=600; SameSite=Lax$/);
    expect(headers['cache-control']).toContain('no-store');
  });

  test('over HTTPS the cookie comes back with a form of another site, and only encrypted', async () => {
    const secure = await startTestApi({ publicUrl: 'https://auth.example.com' });
    try {
      const project = await createProject(senderOf(secure), { config: { oauth_providers: providers } });
      const { headers } = await browserOf(secure, project).authorize('apple');
      expect(headers['set-cookie']).toMatch(/; HttpOnly; Max-Age=600; SameSite=None; Secure$/);
    } finally {
      await secure.close();
    }
  });

  test('the client has to be a project with its publishable key', async () => {
    const { authorize, project } = await projectWith();
    for (const id of ['nobody', `${project.projectId}#dev`, `${project.projectId}#main#main`, '']) {
      expectKnown(await authorize('google', { client_id: id }), 400, 'INVALID_OAUTH_CLIENT_ID_OR_SECRET', {
        client_id: id,
      });
    }
    for (const client_secret of ['wrong', '', project.keys.server]) {
      expectKnown(await authorize('google', { client_secret }), 401, 'INVALID_PUBLISHABLE_CLIENT_KEY', {
        project_id: project.projectId,
      });
    }
    expect((await authorize('google', { client_id: `${project.projectId}#main` })).status).toBe(307);
  });

  test.each([
    [{ state: '' }, 'query.state'],
    [{ state: 'a\nb' }, 'query.state'],
    [{ response_type: 'token' }, 'query.response_type'],
    [{ grant_type: 'implicit' }, 'query.grant_type'],
    [{ code_challenge_method: 'S512' }, 'query.code_challenge_method'],
    [{ code_challenge: 'short' }, 'query.code_challenge'],
    [{ code_challenge: undefined }, 'query.code_challenge is required'],
    [{ redirect_uri: '/handler' }, 'query.redirect_uri'],
    [{ error_redirect_url: 'nowhere' }, 'query.error_redirect_url'],
    [{ type: 'sign-in' }, 'query.type'],
    [{ prompt: 'none' }, 'query has unknown fields: prompt'],
  ])('what can not work is refused before the provider is visited: %o', async (parameters, fault) => {
    const { authorize } = await projectWith();
    expectSchemaError(await authorize('google', parameters), fault);
  });

  test('there is one scope; plain challenges are for development', async () => {
    const { authorize, project } = await projectWith();
    expectKnown(await authorize('google', { scope: 'openid' }), 400, 'INVALID_SCOPE');
    const plain = { code_challenge: verifier, code_challenge_method: 'plain' };
    expect((await authorize('google', plain)).status).toBe(307);
    await change(project, { allow_localhost: false });
    await send('PATCH', '/internal/projects/current', {
      ...project,
      access: 'admin',
      body: { is_production_mode: true },
    });
    expectSchemaError(await authorize('google', plain), 'query.code_challenge_method');
    expect((await authorize('google')).status).toBe(307);
  });

  test('the provider has to be one of the project’s', async () => {
    const { authorize } = await projectWith();
    for (const provider of ['spotify', 'nonsense', 'toString']) {
      expectKnown(await authorize(provider), 400, 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    }
  });

  test('shared keys give no scopes of one’s own, for neither type', async () => {
    const { authorize, project } = await projectWith();
    const user = await signUp(send, project);
    for (const mode of [{}, { type: 'link', token: user.accessToken }, { stack_response_mode: 'json' }]) {
      const answer = await authorize('google', { ...mode, provider_scope: 'drive' });
      expectKnown(answer, 400, 'OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS');
    }
    expect((await authorize('google', { provider_scope: '' })).status).toBe(307);
  });

  test('linking takes a live access token of the project', async () => {
    const { authorize, project } = await projectWith();
    const link = (token?: string) => authorize('google', { type: 'link', token });
    expectKnown(await link(), 401, 'UNPARSABLE_ACCESS_TOKEN');
    expectKnown(await link('x'), 401, 'UNPARSABLE_ACCESS_TOKEN');
    expectPlain(await link((await signUp(send)).accessToken), 403);
    const user = await signUp(send, project);
    expect((await link(user.accessToken)).status).toBe(307);
    await send('DELETE', '/auth/sessions/current', { ...project, as: user.accessToken });
    expectKnown(await link(user.accessToken), 401, 'ACCESS_TOKEN_EXPIRED', { expired_at_millis: expect.any(Number) });
  });

  test('who asks for JSON gets the address where the browser is given its cookie', async () => {
    const { authorize, visit, comeBack } = await projectWith();
    const answer = await authorize('google', {
      stack_response_mode: 'json',
      hexclave_response_mode: 'json',
      bot_challenge_unavailable: 'true',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['set-cookie']).toBeUndefined();
    const location = new URL(answer.body.location);
    expect(location.origin).toBe('http://localhost:8102');
    expect(location.search).not.toContain('response_mode');
    const sent = await visit('GET', `${location.pathname}${location.search}`);
    expect(sent.status).toBe(307);
    const state = new URL(String(sent.headers.location)).searchParams.get('state') ?? '';
    const cookie = String(sent.headers['set-cookie']).split(';')[0] ?? '';
    const back = await comeBack('google', { location, state, cookie }, person());
    expect(back.status).toBe(303);
    expectKnown(
      await authorize('spotify', { stack_response_mode: 'json' }),
      400,
      'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    );
  });
});

describe('coming back', () => {
  test('signs up, then in, and hands the app its tokens', async () => {
    const { signIn, project } = await projectWith({ create_team_on_sign_up: true });
    const ann = person({ displayName: 'Ann', profileImageUrl: 'https://img.example/ann.png' });
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
    expect(texts).toContain('Signed in through a provider');
    expect(texts).toContain(`The account ${ann.email} at Google was connected`);
  });

  test('by a form too, which is not posted on to the app', async () => {
    const { begin, visit } = await projectWith();
    const { state, cookie } = await begin('apple');
    const form = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const url = '/api/v1/auth/oauth/callback/apple';
    const denied = await visit('POST', url, form, `${new URLSearchParams({ state, error: 'access_denied' })}`);
    expect(toldError(denied)).toEqual({ status: 303, code: 'OAUTH_PROVIDER_ACCESS_DENIED', details: {} });
  });

  test('only with the cookie of the browser that went, and once', async () => {
    const { begin, comeBack, visit } = await projectWith();
    const gone = await begin('google');
    const url = `/api/v1/auth/oauth/callback/google?state=${gone.state}&code=x`;
    for (const cookie of [undefined, `stack-oauth-inner-${gone.state}=`, (await begin('google')).cookie]) {
      expectPlain(await visit('GET', url, cookie === undefined ? {} : { cookie }), 400);
    }
    for (const state of ['', 'x', `${gone.state}%0d%0aSet-Cookie:a=b`]) {
      const answer = await visit('GET', `/api/v1/auth/oauth/callback/google?state=${state}`, { cookie: gone.cookie });
      expectPlain(answer, 400);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    const back = await comeBack('google', gone, person());
    expect(back.status).toBe(303);
    expect(back.headers['set-cookie']).toMatch(new RegExp(`^stack-oauth-inner-${gone.state}=; .*Max-Age=0`));
    expectPlain(await comeBack('google', gone, person()), 400);
  });

  test('of many at once one goes on', async () => {
    const { begin, comeBack, project } = await projectWith();
    const gone = await begin('google');
    const ann = person();
    const answers = await Promise.all(Array.from({ length: 20 }, () => comeBack('google', gone, ann)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    const users = await send('GET', '/users', { ...project, access: 'server' });
    expect(users.body.items).toHaveLength(1);
  });

  test('another provider’s answer does not end a flow, a late one does', async () => {
    const { begin, comeBack } = await projectWith();
    const mixedUp = await comeBack('github', await begin('google'), person());
    expect(toldError(mixedUp)).toEqual({ status: 307, code: 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED', details: {} });
    const gone = await begin('google');
    api.advance(10 * 60_000);
    expect(toldError(await comeBack('google', gone, person()))).toMatchObject({ code: 'OUTER_OAUTH_TIMEOUT' });
    const early = await begin('google');
    api.advance(9 * 60_000);
    expect((await comeBack('google', early, person())).status).toBe(303);
  });

  test.each([
    ['a provider that was switched off in between', { oauth_providers: [] }, 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED'],
    ['sign-up that is off', { sign_up_enabled: false }, 'SIGN_UP_NOT_ENABLED'],
  ])('%s', async (_, config, code) => {
    const { begin, comeBack, project } = await projectWith();
    const gone = await begin('google');
    await change(project, config);
    expect(toldError(await comeBack('google', gone, person()))).toMatchObject({ code });
    expect((await send('GET', '/users', { ...project, access: 'server' })).body.items).toEqual([]);
  });

  test('the address of the app has to be trusted, and nothing is half done when it is not', async () => {
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
      const answer = await comeBack('google', await begin('google', { redirect_uri }), person());
      expect(toldError(answer)).toMatchObject({ code: 'REDIRECT_URL_NOT_WHITELISTED' });
    }
    expect((await send('GET', '/users', { ...project, access: 'server' })).body.items).toEqual([]);
    const good = await comeBack(
      'google',
      await begin('google', { redirect_uri: 'https://app.example/h?x=1&code=old#there' }),
      person(),
    );
    const location = new URL(String(good.headers.location));
    expect(location.href).toMatch(/^https:\/\/app\.example\/h\?x=1&code=[0-9a-f]{64}&state=state-of-the-app$/);
  });

  test('an error page elsewhere is not visited; it does not disturb what goes well', async () => {
    const { begin, comeBack } = await projectWith({ sign_up_enabled: false });
    const elsewhere = { error_redirect_url: 'https://evil.example/' };
    expectKnown(await comeBack('google', await begin('google', elsewhere), person()), 400, 'SIGN_UP_NOT_ENABLED');
    const none = { error_redirect_url: undefined };
    expectKnown(
      await comeBack('google', await begin('google', none), { error: 'access_denied' }),
      400,
      'OAUTH_PROVIDER_ACCESS_DENIED',
    );
    const older = { error_redirect_url: 'https://evil.example/', error_redirect_uri: errorUrl };
    expect(toldError(await comeBack('google', await begin('google', older), person()))).toMatchObject({
      code: 'SIGN_UP_NOT_ENABLED',
    });
    const open = await projectWith();
    expect((await open.comeBack('google', await open.begin('google', elsewhere), person())).status).toBe(303);
  });

  test('wherever an app or a stranger says that it is, people are sent to the project’s own addresses alone', async () => {
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
          isDenied ? { error: 'access_denied' } : person(),
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
    'OAUTH_PROVIDER_CODE_REFUSED',
    'OAUTH_PROVIDER_KEYS_REFUSED',
    'OAUTH_PROVIDER_SCOPE_REFUSED',
    'OAUTH_PROVIDER_ANSWER_INVALID',
    'OAUTH_PROVIDER_UNREACHABLE',
    'OAUTH_PROVIDER_GAVE_NO_EMAIL',
  ] as const)('a provider that misbehaves (%s) is told in plain words and leaves nothing', async (fault) => {
    const { begin, comeBack, project } = await projectWith();
    const gone = await begin('google');
    expectPlain(await comeBack('google', gone, { fault }), 400);
    expectPlain(await comeBack('google', gone, person()), 400);
    expect((await send('GET', '/users', { ...project, access: 'server' })).body.items).toEqual([]);
  });

  test('without an e-mail there is no channel', async () => {
    const { signIn, project } = await projectWith();
    const { access_token: as } = await signIn('google', { accountId: 'quiet', displayName: 'Quiet' });
    expect((await send('GET', '/users/me', { ...project, as })).body).toMatchObject({
      display_name: 'Quiet',
      primary_email: null,
      oauth_providers: [{ id: 'google', account_id: 'quiet', email: null }],
    });
  });
});

describe('an address that somebody has', () => {
  /** Strategy, owner's address verified, provider vouches: what comes of it. */
  const cases = (['link_method', 'raise_error', 'allow_duplicates'] as const).flatMap((strategy) =>
    [false, true].flatMap((isVerified) =>
      [false, true].map((vouches) => ({
        strategy,
        isVerified,
        vouches,
        outcome:
          strategy === 'allow_duplicates'
            ? ('duplicate' as const)
            : strategy === 'link_method' && isVerified && vouches
              ? ('merged' as const)
              : ('refused' as const),
      })),
    ),
  );

  test.each(cases)('$strategy, owner verified $isVerified, provider vouches $vouches: $outcome', async (given) => {
    const { strategy, isVerified, vouches, outcome } = given;
    const { signIn, begin, comeBack, project } = await projectWith({ oauth_account_merge_strategy: strategy });
    const owner = await signUp(send, project);
    if (isVerified) {
      const body = { primary_email_verified: true };
      await send('PATCH', `/users/${owner.userId}`, { ...project, access: 'server', body });
    }
    const ann = person({ email: owner.email.toUpperCase(), isEmailVerified: vouches });
    if (outcome === 'refused') {
      expect(toldError(await comeBack('github', await begin('github'), ann))).toEqual({
        status: 307,
        code: 'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
        details: { type: 'email', contact_channel_value: ann.email },
      });
      const { body } = await send('GET', `/users/${owner.userId}`, { ...project, access: 'server' });
      expect(body.oauth_providers).toEqual([]);
      return;
    }
    const { access_token: as, is_new_user } = await signIn('github', ann);
    const me = (await send('GET', '/users/me', { ...project, as })).body;
    expect({ isOwner: me.id === owner.userId, is_new_user }).toEqual(
      outcome === 'merged' ? { isOwner: true, is_new_user: false } : { isOwner: false, is_new_user: true },
    );
    const channels = (await send('GET', '/contact-channels?user_id=me', { ...project, as })).body.items;
    expect(channels).toMatchObject([
      outcome === 'merged'
        ? { value: owner.email, is_verified: true, used_for_auth: true }
        : { value: ann.email, is_verified: vouches, used_for_auth: false },
    ]);
    expect((await signIn('github', ann)).is_new_user).toBe(false);
  });

  test('an address that is not used for sign-in is nobody’s', async () => {
    const { signIn, project } = await projectWith();
    const email = newEmail();
    await send('POST', '/users', {
      ...project,
      access: 'server',
      body: { primary_email: email, primary_email_verified: true },
    });
    expect((await signIn('github', person({ email }))).is_new_user).toBe(true);
  });

  test('a password that a stranger set beforehand opens nothing of the true owner', async () => {
    const { begin, comeBack, project } = await projectWith();
    const stranger = await signUp(send, project);
    const owner = person({ email: stranger.email });
    expect(toldError(await comeBack('google', await begin('google'), owner)).code).toBe(
      'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
    );
  });
});

describe('linking', () => {
  const linkTo = (as: string) => ({ type: 'link', token: as });

  test('adds an account that signs in from then on, with sign-up off', async () => {
    const { signIn, codeFor, redeem, project } = await projectWith({ sign_up_enabled: false });
    const user = (await send('POST', '/users', { ...project, access: 'server', body: { display_name: 'Ann' } })).body;
    const session = await send('POST', '/auth/sessions', { ...project, access: 'server', body: { user_id: user.id } });
    const account = person();
    const code = await codeFor('github', account, linkTo(session.body.access_token));
    expect((await redeem(code)).body).toMatchObject({ is_new_user: false });
    const { access_token: as } = await signIn('github', account);
    const me = (await send('GET', '/users/me', { ...project, as })).body;
    expect(me).toMatchObject({ id: user.id, primary_email: null });
    expect(me.oauth_providers).toEqual([{ id: 'github', account_id: account.accountId, email: account.email }]);
    await signIn('github', account, linkTo(as));
    expect((await send('GET', '/users/me', { ...project, as })).body.oauth_providers).toHaveLength(1);
  });

  test('refuses a second account of a provider, and one that is somebody else’s', async () => {
    const { signIn, begin, comeBack, project } = await projectWith();
    const [mine, theirs] = [person(), person()];
    const { access_token: as } = await signIn('github', mine);
    await signIn('google', theirs);
    const link = async (provider: string, account: object) =>
      toldError(await comeBack(provider, await begin(provider, linkTo(as)), account));
    expect(await link('github', person())).toEqual({
      status: 307,
      code: 'USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION',
      details: {},
    });
    expect((await link('google', theirs)).code).toBe('OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER');
    expect((await send('GET', '/users/me', { ...project, as })).body.oauth_providers).toHaveLength(1);
  });

  test('for a user who is gone by then is refused', async () => {
    const { begin, comeBack, project } = await projectWith();
    const user = await signUp(send, project);
    const gone = await begin('github', linkTo(user.accessToken));
    await send('DELETE', `/users/${user.userId}`, { ...project, access: 'server' });
    expect(toldError(await comeBack('github', gone, person())).code).toBe('USER_NOT_FOUND');
  });

  test('whoever is deleted leaves the account free', async () => {
    const { signIn, project } = await projectWith();
    const account = person();
    const { access_token: as } = await signIn('github', account);
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    await send('DELETE', `/users/${id}`, { ...project, access: 'server' });
    const next = await signIn('github', account);
    expect(next.is_new_user).toBe(true);
    expect((await send('GET', '/users/me', { ...project, as: next.access_token })).body.id).not.toBe(id);
  });

  test('accounts are forgotten with their user, and with their project', async () => {
    const { signIn, project } = await projectWith();
    const query = {
      name: 'accounts-of-project',
      sql: (schema: string) => `select provider from ${schema}.oauth_accounts where project_id = $1`,
    };
    const kept = async () => (await api.deps.db.rows(query, [project.projectId])).length;
    const { access_token: as } = await signIn('github', person());
    await signIn('google', person());
    expect(await kept()).toBe(2);
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    await send('DELETE', `/users/${id}`, { ...project, access: 'server' });
    expect(await kept()).toBe(1);
    expect((await send('DELETE', '/internal/projects/current', { ...project, access: 'admin' })).status).toBe(200);
    expect(await kept()).toBe(0);
  });

  test('a server may say of a new user which accounts are theirs', async () => {
    const { signIn, project } = await projectWith();
    const account = person();
    const create = (oauth_providers: unknown) =>
      send('POST', '/users', { ...project, access: 'server', body: { oauth_providers } });
    const given = { id: 'GitHub', account_id: account.accountId };
    const created = await create([given, given]);
    expect(created.status).toBe(201);
    expect(created.body.oauth_providers).toEqual([{ id: 'github', account_id: account.accountId, email: null }]);
    const { access_token: as } = await signIn('github', account);
    expect((await send('GET', '/users/me', { ...project, as })).body.id).toBe(created.body.id);
    expectKnown(await create([given]), 409, 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER');
    expectPlain(await create([{ id: 'spotify', account_id: 'x' }]), 400);
    expectSchemaError(await create([{ id: 'github' }]), 'account_id');
    expectSchemaError(await create([{ ...given, email: 'none' }]), 'email');
  });
});

describe('the code', () => {
  test('is for who has the verifier, once', async () => {
    const { codeFor, redeem } = await projectWith();
    const code = await codeFor('google', person());
    expect(code).toMatch(/^[0-9a-f]{64}$/);
    for (const code_verifier of ['wrong', challenge, undefined]) {
      expectKnown(await redeem(code, { code_verifier }), 400, 'INVALID_AUTHORIZATION_CODE');
    }
    const answer = await redeem(code, { client_secret: undefined });
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expectKnown(await redeem(code), 400, 'INVALID_AUTHORIZATION_CODE');
  });

  test('of many who redeem it at once one gets tokens', async () => {
    const { codeFor, redeem } = await projectWith();
    const code = await codeFor('google', person());
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'INVALID_AUTHORIZATION_CODE')).toHaveLength(19);
  });

  test('is of one project, and lives five minutes', async () => {
    const { codeFor, redeem } = await projectWith();
    const other = await projectWith();
    const code = await codeFor('google', person());
    expectKnown(await other.redeem(code), 400, 'INVALID_AUTHORIZATION_CODE');
    api.advance(5 * 60_000);
    expectKnown(await redeem(code), 400, 'INVALID_AUTHORIZATION_CODE');
    expectKnown(await redeem('0'.repeat(64)), 400, 'INVALID_AUTHORIZATION_CODE');
    expectKnown(await redeem(code, { client_secret: 'wrong' }), 400, 'INVALID_OAUTH_CLIENT_ID_OR_SECRET', {
      client_id: null,
    });
  });

  test('goes with the address it was sent to', async () => {
    const { codeFor, redeem } = await projectWith();
    const redirect_uri = `${redirectUri}#here`;
    const code = await codeFor('google', person(), { redirect_uri });
    for (const missing of [undefined, 'nowhere']) {
      const answer = await redeem(code, { redirect_uri: missing });
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: 'invalid_request', error_description: expect.any(String) },
      ]);
    }
    expect((await redeem(code)).status).toBe(200);
    const second = await codeFor('google', person());
    expectKnown(await redeem(second, { redirect_uri: `${redirectUri}/x` }), 400, 'REDIRECT_URL_NOT_WHITELISTED');
    expectKnown(await redeem(second), 400, 'INVALID_AUTHORIZATION_CODE');
    for (const malformed of [undefined, '', 'ä']) {
      expect((await redeem(malformed ?? '', { code: malformed })).body.error).toBe('invalid_request');
    }
  });

  test('a second factor comes between, and keeps that the user is new', async () => {
    const { codeFor, redeem, signIn, project } = await projectWith();
    const account = person();
    const code = await codeFor('google', account);
    const [{ id }] = (await send('GET', '/users', { ...project, access: 'server' })).body.items;
    const secret = Buffer.alloc(20, 1).toString('base64');
    await send('PATCH', `/users/${id}`, { ...project, access: 'server', body: { totp_secret_base64: secret } });
    const attempt = await redeem(code);
    expectKnown(attempt, 400, 'MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: expect.any(String) });
    await send('PATCH', `/users/${id}`, { ...project, access: 'server', body: { totp_secret_base64: null } });
    expect((await signIn('google', account)).is_new_user).toBe(false);
  });

  test('what ended the user’s sessions meanwhile ended this one too', async () => {
    const { codeFor, redeem, project } = await projectWith();
    const account = person();
    const code = await codeFor('google', account);
    const [{ id }] = (await send('GET', '/users', { ...project, access: 'server' })).body.items;
    await send('PATCH', `/users/${id}`, { ...project, access: 'server', body: { password: null } });
    const { body } = await redeem(code);
    const me = await send('GET', '/users/me', { ...project, as: body.access_token });
    expect(me.body.code).toBe('ACCESS_TOKEN_EXPIRED');
  });
});

describe('connected accounts', () => {
  const tokenOf = (project: OwnedProject, provider: string, call: object, scope?: string, user = 'me') =>
    send('POST', `/connected-accounts/${user}/${provider}/access-token`, {
      ...project,
      ...call,
      body: scope === undefined ? {} : { scope },
    });

  test('give the provider’s token with the scopes asked for, while it lives', async () => {
    const { signIn, project } = await projectWith();
    const { access_token: as } = await signIn('github', person(), { provider_scope: 'repo' });
    const first = await tokenOf(project, 'github', { as });
    expect([first.status, first.body]).toEqual([201, { access_token: expect.stringMatching(/^access-/) }]);
    for (const scope of ['repo', 'user:email repo', '  repo ', '']) {
      expect((await tokenOf(project, 'github', { as }, scope)).body).toEqual(first.body);
    }
    const old = await send('POST', '/auth/oauth/connected-accounts/GitHub/access-token', { ...project, as, body: {} });
    expect([old.status, old.body]).toEqual([201, first.body]);
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    expect((await tokenOf(project, 'github', { access: 'server' }, 'repo', id)).body).toEqual(first.body);
    expectKnown(await tokenOf(project, 'github', { as }, 'gist'), 400, 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
    await signIn(
      'github',
      { ...person(), accountId: (await account(project, as)).account_id },
      { provider_scope: 'gist', type: 'link', token: as },
    );
    expect((await tokenOf(project, 'github', { as }, 'gist')).status).toBe(201);
    expect((await tokenOf(project, 'github', { as }, 'repo')).body).toEqual(first.body);
    expectKnown(
      await tokenOf(project, 'github', { as }, 'gist repo'),
      400,
      'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE',
    );
  });

  const account = async (project: OwnedProject, as: string) =>
    (await send('GET', '/users/me', { ...project, as })).body.oauth_providers[0];

  test('renew it when it has five minutes left, and keep the new one', async () => {
    const { signIn, project } = await projectWith();
    const { refresh_token } = await signIn('github', person());
    const { id } = (await send('GET', '/users', { ...project, access: 'server' })).body.items[0];
    const asServer = () => tokenOf(project, 'github', { access: 'server' }, 'user:email', id);
    const first = (await asServer()).body.access_token;
    api.advance(55 * 60_000);
    const second = (await asServer()).body.access_token;
    expect(second).not.toBe(first);
    expect((await asServer()).body.access_token).toBe(second);
    expect(refresh_token).toBeTruthy();
  });

  test('tell what is missing', async () => {
    const { signIn, project } = await projectWith();
    const { access_token: as } = await signIn('github', person({ refreshToken: null }));
    expectKnown(await tokenOf(project, 'apple', { as }), 400, 'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER');
    expectKnown(
      await tokenOf(project, 'google', { as }),
      400,
      'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
    );
    expectKnown(await tokenOf(project, 'discord', { as }), 400, 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    expectKnown(await tokenOf(project, 'github', {}), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    const other = await signUp(send, project);
    expectPlain(await tokenOf(project, 'github', { as }, undefined, other.userId), 403);
    const nobody = '11111111-2222-4333-8444-555555555555';
    expectKnown(await tokenOf(project, 'github', { access: 'server' }, undefined, nobody), 404, 'USER_NOT_FOUND');
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    api.advance(3_600_000);
    const late = await tokenOf(project, 'github', { access: 'server' }, undefined, id);
    expectKnown(late, 400, 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
    const revoked = await signIn('github', person({ refreshToken: 'rejected' }));
    const user = (await send('GET', '/users/me', { ...project, as: revoked.access_token })).body.id;
    api.advance(3_600_000);
    expectKnown(await tokenOf(project, 'github', { access: 'server' }, undefined, user), 401, 'PROVIDER_REJECTED');
  });

  test('with shared keys nothing of the provider’s is kept', async () => {
    const { signIn } = await projectWith();
    const before = await api.deps.store.head();
    await signIn('google', person());
    const types = (await api.deps.store.readAll(before, 1000)).map(({ type }) => type);
    expect(types).toContain('OAuthAccountLinked');
    expect(types).not.toContain('ProviderTokensStored');
  });
});
