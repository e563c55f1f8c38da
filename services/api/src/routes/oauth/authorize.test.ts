import { describe, expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import {
  browserOf,
  challenge,
  errorUrl,
  newPerson,
  projectsOf,
  providers,
  redirectUri,
  verifier,
} from '../../testing/oauth.ts';
import {
  changeConfig,
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  senderOf,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const projectWith = projectsOf(api);

describe('authorize', () => {
  test('redirects the browser to the provider and binds it with a cookie', async () => {
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

  test('over HTTPS the cookie is sent with cross-site forms, is secure, and can’t be set by another host', async () => {
    const secure = await startTestApi({ publicUrl: 'https://auth.example.com' });
    try {
      const project = await createProject(senderOf(secure), { config: { oauth_providers: providers } });
      const { authorize, open } = browserOf(secure, project);
      const { headers } = await authorize('apple');
      const cookie = String(headers['set-cookie']);
      expect(cookie).toMatch(
        /^__Host-stack-oauth-inner-[\w-]{43}=true; Path=\/; HttpOnly; Max-Age=600; SameSite=None; Secure$/,
      );
      const state = new URL(String(headers.location)).searchParams.get('state');
      const back = `/api/v1/auth/oauth/callback/apple?state=${state}&error=access_denied`;
      expectPlain(await open('GET', back, { cookie: `stack-oauth-inner-${state}=true` }), 400);
      const taken = await open('GET', back, { cookie: cookie.split(';', 1).join() });
      expect([taken.status, taken.headers['set-cookie']]).toEqual([307, expect.stringMatching(/^__Host-.*Max-Age=0/)]);
    } finally {
      await secure.close();
    }
  });

  test('requires a project as the client, with its publishable key', async () => {
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
  ])('rejects invalid parameters before the redirect to the provider: %o', async (parameters, fault) => {
    const { authorize } = await projectWith();
    expectSchemaError(await authorize('google', parameters), fault);
  });

  test('accepts one scope; plain challenges only in development', async () => {
    const { authorize, project } = await projectWith();
    expectKnown(await authorize('google', { scope: 'openid' }), 400, 'INVALID_SCOPE');
    const plain = { code_challenge: verifier, code_challenge_method: 'plain' };
    expect((await authorize('google', plain)).status).toBe(307);
    await changeConfig(send, project, { allow_localhost: false });
    await send('PATCH', '/internal/projects/current', {
      ...project,
      access: 'admin',
      body: { is_production_mode: true },
    });
    expectSchemaError(await authorize('google', plain), 'query.code_challenge_method');
    expect((await authorize('google')).status).toBe(307);
  });

  test('requires a provider of the project', async () => {
    const { authorize } = await projectWith();
    for (const provider of ['spotify', 'nonsense', 'toString']) {
      expectKnown(await authorize(provider), 400, 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    }
  });

  test('rejects custom scopes with shared keys, for both types', async () => {
    const { authorize, project } = await projectWith();
    const user = await signUp(send, project);
    for (const mode of [{}, { type: 'link', token: user.accessToken }, { stack_response_mode: 'json' }]) {
      const answer = await authorize('google', { ...mode, provider_scope: 'drive' });
      expectKnown(answer, 400, 'OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS');
    }
    expect((await authorize('google', { provider_scope: '' })).status).toBe(307);
  });

  test('requires a valid access token of the project for linking', async () => {
    const { authorize, project } = await projectWith();
    const link = (token?: string) => authorize('google', { type: 'link', token });
    expectKnown(await link(), 401, 'UNPARSABLE_ACCESS_TOKEN');
    expectKnown(await link('x'), 401, 'UNPARSABLE_ACCESS_TOKEN');
    expectPlain(await link((await signUp(send)).accessToken), 403);
    const user = await signUp(send, project);
    expect((await link(user.accessToken)).status).toBe(307);
    await send('DELETE', '/auth/sessions/current', { ...project, as: user.accessToken });
    expectKnown(await link(user.accessToken), 401, 'ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
  });

  test('returns a URL that sets the cookie if a script makes the request', async () => {
    const { authorize, follow, comeBack } = await projectWith();
    const answer = await authorize('google', {
      stack_response_mode: 'json',
      hexclave_response_mode: 'json',
      bot_challenge_unavailable: 'true',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.body.location).toMatch(/^http:\/\/localhost:8102\/api\/v1\/auth\/oauth\/requests\/[0-9a-z]{45}$/);
    const back = await comeBack('google', await follow(answer.body.location), newPerson());
    expect(back.status).toBe(303);
    expectKnown(
      await authorize('spotify', { stack_response_mode: 'json' }),
      400,
      'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    );
  });
});

describe('a pushed request', () => {
  const pushed = {
    redirect_uri: redirectUri,
    state: 'state-of-the-app',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    error_redirect_uri: errorUrl,
  };

  test('links the user of the headers, and no URL contains their token', async () => {
    const { follow, comeBack, redeem, project } = await projectWith();
    const user = await signUp(send, project);
    const body = { ...pushed, type: 'link' };
    const call = { ...project, as: user.accessToken, body };
    const { status, body: told } = await send('POST', '/auth/oauth/authorize/google', call);
    expect(status).toBe(200);
    const gone = await follow(told.location);
    const back = await comeBack('google', gone, newPerson());
    for (const address of [told.location, gone.location.href, back.headers.location])
      expect(address).not.toContain(user.accessToken);
    const code = new URL(String(back.headers.location)).searchParams.get('code') ?? '';
    const { access_token: as } = (await redeem(code)).body;
    const me = (await send('GET', '/users/me', { ...project, as })).body;
    expect([me.id, me.oauth_providers.length]).toEqual([user.userId, 1]);
  });

  test('works once, for two minutes', async () => {
    const { open, project } = await projectWith();
    const push = async () =>
      new URL((await send('POST', '/auth/oauth/authorize/google', { ...project, body: pushed })).body.location)
        .pathname;
    const first = await push();
    const answers = await Promise.all(Array.from({ length: 5 }, () => open('GET', first)));
    expect(answers.map(({ status }) => status).sort()).toEqual([307, 400, 400, 400, 400]);
    const second = await push();
    api.advance(2 * 60_000);
    expectPlain(await open('GET', second), 400);
    expectPlain(await open('GET', '/api/v1/auth/oauth/requests/x'), 400);
  });

  test('reports invalid parameters before the redirect', async () => {
    const { project } = await projectWith();
    const push = (provider: string, changes: object, as?: string) =>
      send('POST', `/auth/oauth/authorize/${provider}`, {
        ...project,
        ...(as && { as }),
        body: { ...pushed, ...changes },
      });
    expectKnown(await push('spotify', {}), 400, 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    expectKnown(await push('google', { type: 'link' }), 401, 'USER_AUTHENTICATION_REQUIRED');
    const { accessToken } = await signUp(send, project);
    expectKnown(
      await push('google', { type: 'link', provider_scope: 'drive' }, accessToken),
      400,
      'OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
    );
    expectSchemaError(await push('google', { code_challenge_method: 'plain' }), 'code_challenge_method');
    expectSchemaError(await push('google', { code_challenge: 'short' }), 'code_challenge');
    expectSchemaError(await push('google', { client_secret: 'x' }), 'client_secret');
  });
});
