import { issueOwnerSetup } from '@gatebook/commands/project/owner-setup';
import { expect, test } from 'vitest';
import { startTestApi } from '../testing/api.ts';
import { expectKnown, newEmail, password, senderOf } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';
import { routes as declared } from './all.ts';

/*
 * A stranger at an installation with closed sign-up, with only the publishable key of `internal`, which is public in
 * `/dashboard/config.json`. Every route gets a valid request.
 */

const { api, send } = await startSuite({ signUp: 'closed' });
const ownerEmail = newEmail();
const setup = await issueOwnerSetup(api.deps);
const owner = { token: setup?.token, email: ownerEmail, password };
expect((await send('POST', '/internal/setup', { body: owner })).status).toBe(200);

const id = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';
const code = 'a'.repeat(45);
const callback_url = 'http://localhost:3000/handler/callback';
const apiKey = { description: 'k', expires_at_millis: null };
const rotation = { expires_at_millis: null, old_expires_at_millis: 1 };

type Sample = { query?: () => string; body?: () => unknown; headers?: Record<string, string> };
const withCode: Sample = { body: () => ({ code }) };
const samples: Readonly<Record<string, Sample>> = {
  'POST /check-version': { body: () => ({ clientVersion: '1.0.0' }) },
  'POST /check-feature-support': { body: () => ({ feature: 'none' }) },
  'POST /auth/password/sign-up': {
    body: () => ({ email: newEmail(), password, verification_callback_url: callback_url }),
  },
  'POST /auth/password/sign-in': { body: () => ({ email: ownerEmail, password: 'not the password' }) },
  'POST /auth/password/set': { body: () => ({ password }) },
  'POST /auth/password/update': { body: () => ({ old_password: password, new_password: password }) },
  'POST /auth/password/send-reset-code': { body: () => ({ email: newEmail(), callback_url }) },
  'POST /auth/password/reset': { body: () => ({ code, password }) },
  'POST /auth/password/reset/check-code': withCode,
  'POST /auth/otp/send-sign-in-code': { body: () => ({ email: newEmail(), callback_url }) },
  'POST /auth/otp/sign-in': withCode,
  'POST /auth/otp/sign-in/check-code': withCode,
  'POST /auth/activity-reports': withCode,
  'GET /emails/unsubscribe': { query: () => `code=${code}` },
  'POST /emails/unsubscribe': { query: () => `code=${code}`, body: () => ({}) },
  'PATCH /emails/notification-preference/:user_id/:category_id': { body: () => ({ enabled: false }) },
  'POST /auth/mfa/sign-in': { body: () => ({ type: 'totp', totp: '123456', code }) },
  'POST /auth/passkey/register': { body: () => ({ code, credential: {} }) },
  'POST /auth/passkey/sign-in': { body: () => ({ code, authentication_response: {} }) },
  'POST /auth/cli/complete': { body: () => ({ login_code: code, refresh_token: code }) },
  'POST /auth/cli/poll': { body: () => ({ polling_code: code }) },
  'POST /auth/oauth/token': {
    body: () => ({
      grant_type: 'authorization_code',
      code,
      code_verifier: 'v'.repeat(43),
      redirect_uri: callback_url,
      client_id: 'internal',
      client_secret: api.keys.client,
    }),
  },
  'GET /auth/oauth/authorize/:provider': {
    query: () =>
      String(
        new URLSearchParams({
          client_id: 'internal',
          client_secret: api.keys.client,
          redirect_uri: callback_url,
          scope: 'legacy',
          state: 'state',
          grant_type: 'authorization_code',
          code_challenge: 'c'.repeat(43),
          code_challenge_method: 'S256',
          response_type: 'code',
        }),
      ),
  },
  'POST /auth/oauth/authorize/:provider': {
    body: () => ({
      type: 'authenticate',
      redirect_uri: callback_url,
      state: 'state',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    }),
  },
  'POST /auth/oauth/cross-domain/authorize': {
    headers: { 'x-stack-refresh-token': code },
    body: () => ({
      redirect_uri: callback_url,
      state: 'state',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
      after_callback_redirect_url: callback_url,
    }),
  },
  'GET /auth/oauth/callback/:provider': { query: () => 'state=unknown&code=x' },
  'POST /auth/oauth/callback/:provider': { body: () => ({ state: 'unknown', code: 'x' }) },
  'POST /connected-accounts/:user_id/:provider/access-token': { body: () => ({}) },
  'POST /connected-accounts/:user_id/:provider/:provider_account_id/access-token': { body: () => ({}) },
  'POST /auth/oauth/connected-accounts/:provider/access-token': { body: () => ({}) },
  'GET /oauth-providers': { query: () => 'user_id=me' },
  'PATCH /oauth-providers/:user_id/:oauth_account_id': { body: () => ({ allow_sign_in: true }) },
  'GET /contact-channels': { query: () => 'user_id=me' },
  'POST /contact-channels': {
    body: () => ({ user_id: 'me', type: 'email', value: newEmail(), used_for_auth: true }),
  },
  'PATCH /contact-channels/:user_id/:channel_id': { body: () => ({ used_for_auth: false }) },
  'POST /contact-channels/:user_id/:channel_id/send-verification-code': { body: () => ({ callback_url }) },
  'POST /contact-channels/send-verification-code': { body: () => ({ email: newEmail(), callback_url }) },
  'POST /contact-channels/verify': withCode,
  'POST /contact-channels/verify/check-code': withCode,
  'GET /auth/sessions': { query: () => 'user_id=me' },
  'DELETE /auth/sessions/:session_id': { query: () => 'user_id=me' },
  'POST /auth/sessions/current/refresh': { headers: { 'x-stack-refresh-token': code } },
  'PATCH /users/me': { body: () => ({ display_name: 'Stranger' }) },
  'GET /teams': { query: () => 'user_id=me' },
  'POST /teams': { body: () => ({ display_name: 'Crew', creator_user_id: 'me' }) },
  'PATCH /teams/:team_id': { body: () => ({ display_name: 'Crew' }) },
  'GET /team-member-profiles': { query: () => `team_id=${id}&user_id=me` },
  'PATCH /team-member-profiles/:team_id/:user_id': { body: () => ({ display_name: 'x' }) },
  'POST /team-invitations/send-code': { body: () => ({ team_id: id, email: newEmail(), callback_url }) },
  'GET /team-invitations': { query: () => `team_id=${id}` },
  'DELETE /team-invitations/:invitation_id': { query: () => `team_id=${id}` },
  'POST /team-invitations/:invitation_id/accept': { query: () => 'user_id=me' },
  'POST /team-invitations/accept': withCode,
  'POST /team-invitations/accept/check-code': withCode,
  'POST /team-invitations/accept/details': withCode,
  'POST /internal/project-invitations/details': { body: () => ({ project_id: id, code }) },
  'POST /internal/project-invitations/accept': { body: () => ({ project_id: id, code }) },
  'POST /internal/project-invitations/sign-up': { body: () => ({ project_id: id, code, password }) },
  'GET /team-permissions': { query: () => `team_id=${id}&user_id=me` },
  'GET /project-permissions': { query: () => 'user_id=me' },
  'GET /user-api-keys': { query: () => 'user_id=me' },
  'POST /user-api-keys': { body: () => ({ ...apiKey, user_id: 'me' }) },
  'PATCH /user-api-keys/:api_key_id': { body: () => ({ description: 'x' }) },
  'POST /user-api-keys/:api_key_id/rotate': { body: () => rotation },
  'GET /team-api-keys': { query: () => `team_id=${id}` },
  'POST /team-api-keys': { body: () => ({ ...apiKey, team_id: id }) },
  'GET /team-api-keys/:api_key_id': { query: () => `team_id=${id}` },
  'PATCH /team-api-keys/:api_key_id': { query: () => `team_id=${id}`, body: () => ({ description: 'x' }) },
  'POST /team-api-keys/:api_key_id/rotate': { query: () => `team_id=${id}`, body: () => rotation },
  'POST /integrations/credential-scanning/revoke': { body: () => ({ api_key: 'none' }) },
  'POST /internal/projects': { body: () => ({ display_name: 'Mine' }) },
  'POST /internal/projects/transfer': { body: () => ({ project_id: id, new_team_id: id }) },
  'POST /internal/previews': {
    body: () => ({
      ...{ method: 'POST', path: '/internal/projects/transfer' },
      body: { project_id: id, new_team_id: id },
    }),
  },
  'GET /internal/setup': { query: () => `token=${code}` },
  'POST /internal/setup': { body: () => ({ token: code, email: newEmail(), password }) },
};

/** Open to the client access type or to anyone: all that a stranger can call. */
const routes = declared
  .filter(({ isRoot, path, access }) => !isRoot && path !== '' && (access === 'anyone' || access.includes('client')))
  .map(({ method, path }) => `${method} ${path}`);
/**
 * Answered with success although nobody is signed in: facts about the server, the first step of a sign-in, and the
 * preview of a write that would be rejected.
 */
const openToStrangers = [
  'POST /check-version',
  'POST /check-feature-support',
  'GET /projects/:project_id/.well-known/jwks.json',
  'GET /projects/:project_id/.well-known/openid-configuration',
  'GET /projects/current',
  'GET /internal/backend-urls',
  'GET /internal/setup',
  'POST /internal/previews',
  'POST /analytics/events/batch',
  'GET /emails/unsubscribe',
  'POST /auth/password/send-reset-code',
  'POST /auth/passkey/initiate-passkey-authentication',
  'POST /auth/cli',
  'GET /auth/oauth/authorize/:provider',
  'POST /auth/oauth/authorize/:provider',
];

test.each(routes)('%s writes nothing for a stranger', async (route) => {
  const head = await api.deps.store.head();
  const { query, body, headers = {} } = samples[route] ?? {};
  const [method = '', path = ''] = route.split(' ');
  const filled = path
    .replace(':project_id', 'internal')
    .replace(':provider', 'github')
    .replace(':customer_type', 'user')
    .replace(/:\w+/g, id);
  const answer = await send(method, query === undefined ? filled : `${filled}?${query()}`, {
    headers,
    ...(body === undefined ? {} : { body: body() }),
  });
  // Routes of the signed-in user report a missing user as a schema error.
  if (!answer.text.includes('auth.user is required')) {
    expect(answer.text, 'the route has to understand the request').not.toContain('SCHEMA_ERROR');
  }
  if (!openToStrangers.includes(route)) expect(answer.status).toBeGreaterThanOrEqual(400);
  const events = await api.deps.store.readAll(head, 1_000);
  // The first step of a sign-in leaves a one-time code that lapses; no user, session, project or anything else.
  expect(events.filter(({ type }) => type !== 'CodeIssued')).toEqual([]);
  if (!openToStrangers.includes(route)) expect(events).toEqual([]);
});

test('an anonymous user from the time when sign-up was open neither owns nor lists projects', async () => {
  const open = await startTestApi();
  try {
    const call = senderOf(open);
    const { access_token: as } = (await call('POST', '/auth/anonymous/sign-up')).body;
    expectKnown(await call('GET', '/internal/projects', { as }), 401, 'USER_AUTHENTICATION_REQUIRED');
    const created = await call('POST', '/internal/projects', { as, body: { display_name: 'Mine' } });
    expectKnown(created, 401, 'USER_AUTHENTICATION_REQUIRED');
  } finally {
    await open.close();
  }
});
