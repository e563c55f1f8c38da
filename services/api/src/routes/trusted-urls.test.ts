import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { nameOf } from '../http/define-route.ts';
import { countMailsTo } from '../testing/mailbox.ts';
import { browserOf, challenge, newPerson, providers } from '../testing/oauth.ts';
import { createProject, newEmail, password, signUp } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';
import { routes } from './all.ts';

const { api, send } = await startSuite();
const project = await createProject(send, {
  config: {
    magic_link_enabled: true,
    client_team_creation_enabled: true,
    oauth_providers: providers,
    allow_localhost: true,
    domains: [{ domain: 'https://*.preview.example', handler_path: '/handler' }],
  },
});
const { begin, comeBack } = browserOf(api, project);

const trusted = [
  'http://localhost:3000/x',
  'https://localhost/x',
  'http://app.localhost/x',
  'http://127.0.0.1:1/x',
  'https://ann.preview.example/x',
];
const untrusted = [
  'intent://localhost/#Intent;scheme=http;package=org.evil;end',
  'chrome://localhost/x',
  'myapp://localhost/x',
  'ws://127.0.0.1/x',
  'http://localhost.evil.org/x',
  'http://ann.preview.example/x',
  'https://ann.preview.example:8443/x',
  'https://a.b.preview.example/x',
  'https://preview.example/x',
];

const post = (path: string, body: unknown, as?: string) =>
  send('POST', path, { ...project, body, ...(as !== undefined && { as }) });
const isAccepted = ({ status, body }: { status: number; body: { code?: string } }) => {
  if (status !== 200)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'REDIRECT_URL_NOT_WHITELISTED' });
  return status === 200;
};

/** Where a caller names a URL that users are sent to: whether the URL is used. */
const uses: Record<string, (url: string) => Promise<boolean>> = {
  'POST /api/v1/auth/password/sign-up verification_callback_url': async (url) => {
    const email = newEmail();
    const body = { email, password, verification_callback_url: url };
    expect((await post('/auth/password/sign-up', body)).status).toBe(200);
    return (await countMailsTo(api, email)) === 1;
  },
  'POST /api/v1/auth/password/send-reset-code callback_url': async (callback_url) =>
    isAccepted(await post('/auth/password/send-reset-code', { email: newEmail(), callback_url })),
  'POST /api/v1/auth/otp/send-sign-in-code callback_url': async (callback_url) =>
    isAccepted(await post('/auth/otp/send-sign-in-code', { email: newEmail(), callback_url })),
  'POST /api/v1/contact-channels/:user_id/:channel_id/send-verification-code callback_url': async (url) => {
    const { accessToken } = await signUp(send, project);
    const channels = await send('GET', '/contact-channels?user_id=me', { ...project, as: accessToken });
    const path = `/contact-channels/me/${channels.body.items[0].id}/send-verification-code`;
    return isAccepted(await post(path, { callback_url: url }, accessToken));
  },
  'POST /api/v1/contact-channels/send-verification-code callback_url': async (callback_url) => {
    const { accessToken, email } = await signUp(send, project);
    return isAccepted(await post('/contact-channels/send-verification-code', { email, callback_url }, accessToken));
  },
  'POST /api/v1/team-invitations/send-code callback_url': async (callback_url) => {
    const { accessToken } = await signUp(send, project);
    const team = await post('/teams', { display_name: 'T', creator_user_id: 'me' }, accessToken);
    const body = { team_id: team.body.id, email: newEmail(), callback_url };
    return isAccepted(await post('/team-invitations/send-code', body, accessToken));
  },
  'POST /api/v1/internal/send-sign-in-invitation callback_url': async (callback_url) => {
    const body = { email: newEmail(), callback_url };
    return isAccepted(await send('POST', '/internal/send-sign-in-invitation', { ...project, access: 'admin', body }));
  },
  'GET /api/v1/auth/oauth/authorize/:provider redirect_uri': async (redirect_uri) => {
    const answer = await comeBack('google', await begin('google', { redirect_uri }), newPerson());
    return answer.status === 303 && String(answer.headers.location).startsWith(`${redirect_uri}?code=`);
  },
  'POST /api/v1/auth/oauth/cross-domain/authorize redirect_uri': (url) => isCrossDomainUrl({ redirect_uri: url }),
  'POST /api/v1/auth/oauth/cross-domain/authorize after_callback_redirect_url': (url) =>
    isCrossDomainUrl({ after_callback_redirect_url: url }),
  'GET /api/v1/auth/oauth/authorize/:provider error_redirect_uri': (url) => isErrorUrl({ error_redirect_uri: url }),
  'GET /api/v1/auth/oauth/authorize/:provider error_redirect_url': (url) => isErrorUrl({ error_redirect_url: url }),
};

async function isCrossDomainUrl(urls: { redirect_uri?: string; after_callback_redirect_url?: string }) {
  const { accessToken: as, refreshToken } = await signUp(send, project);
  const headers = { 'x-stack-refresh-token': refreshToken };
  const request = { state: 's', code_challenge: challenge, code_challenge_method: 'S256' };
  const body = { redirect_uri: 'http://localhost:3000/', ...request, ...urls };
  return isAccepted(await send('POST', '/auth/oauth/cross-domain/authorize', { ...project, as, headers, body }));
}

async function isErrorUrl(parameters: Record<string, string>): Promise<boolean> {
  const named = { error_redirect_url: undefined, ...parameters };
  const { status, headers } = await comeBack('google', await begin('google', named), { error: 'access_denied' });
  expect(status).toBe(headers.location === undefined ? 400 : 307);
  return headers.location !== undefined;
}

/** Stored and returned, but checked by the client library (protocol, auth §0.5). The POST form is checked alike. */
const checkedElsewhere = [
  'GET /api/v1/auth/oauth/authorize/:provider after_callback_redirect_url',
  'POST /api/v1/auth/oauth/authorize/:provider after_callback_redirect_url',
  'POST /api/v1/auth/oauth/authorize/:provider redirect_uri',
  'POST /api/v1/auth/oauth/authorize/:provider error_redirect_uri',
  'POST /api/v1/auth/oauth/token redirect_uri',
];

describe.each(Object.entries(uses))('%s', (_, isUsed) => {
  test.each(trusted)('can be %s', async (url) => expect(await isUsed(url)).toBe(true));
  test.each(untrusted)('can’t be %s', async (url) => expect(await isUsed(url)).toBe(false));
});

test('every URL field of a request is tested here or named as checked elsewhere', () => {
  const fields = routes.flatMap((route) =>
    [route.body, route.query].flatMap((schema) => {
      if (schema === undefined) return [];
      const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
      const names = [...text.matchAll(/"(\w*(?:callback|redirect)_ur[li])":/g)].map(([, name]) => name);
      return names.map((name) => `${nameOf(route)} ${name}`);
    }),
  );
  expect(new Set([...Object.keys(uses), ...checkedElsewhere])).toEqual(new Set(fields));
});
