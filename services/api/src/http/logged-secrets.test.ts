import { createLogger } from '@gatebook/runtime/logger';
import { expect, test } from 'vitest';
import { senderOf, signUp } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

const lines: string[] = [];

const { api } = await startSuite({ logger: createLogger({ level: 'trace' }, { write: (line) => lines.push(line) }) });

/** Everything that a browser carries in an address at the endpoints of OAuth. */
const secrets = {
  state: 'canary-state',
  code_challenge: 'canary-challenge-canary-challenge-canary-ch',
  after_callback_redirect_url: 'http://localhost/canary-page',
  provider_scope: 'canary-scope',
};

test('no part of a URL with a token in its query is logged, whatever the outcome', async () => {
  const { accessToken } = await signUp(senderOf(api));
  const query = (changes: Record<string, string> = {}) =>
    new URLSearchParams({
      client_id: 'internal',
      client_secret: api.keys.client,
      redirect_uri: 'http://localhost/canary-redirect',
      scope: 'legacy',
      grant_type: 'authorization_code',
      code_challenge_method: 'S256',
      response_type: 'code',
      type: 'link',
      token: accessToken,
      ...secrets,
      ...changes,
    });
  const authorize = (changes: Record<string, string> = {}) =>
    api.app.inject(`/api/v1/auth/oauth/authorize/google?${query(changes)}`);
  const statuses = [
    (await authorize()).statusCode,
    (await authorize({ token: `${accessToken}x` })).statusCode,
    (await authorize({ client_secret: 'pck_canary-wrong-key-canary-wrong-key' })).statusCode,
    (await authorize({ unknown: 'canary-unknown' })).statusCode,
    (await api.app.inject(`/api/v1/auth/oauth/callback/google?code=canary-code&state=${'c'.repeat(43)}`)).statusCode,
    (await api.app.inject(`/api/v1/auth/oauth/authorize/%ff?token=${accessToken}`)).statusCode,
    (await api.app.inject(`/api/v1/nowhere?token=${accessToken}`)).statusCode,
    (await api.app.inject(`/nowhere?token=${accessToken}`)).statusCode,
  ];
  expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true);

  const { projects } = api.deps;
  const broken = { ...projects, find: () => Promise.reject(new Error('broken')) };
  Object.assign(api.deps, { projects: broken });
  const failed = await authorize();
  Object.assign(api.deps, { projects });
  expect(failed.statusCode).toBe(500);

  const all = lines.join('');
  expect(all).toContain('request failed');
  for (const secret of ['canary', accessToken, accessToken.split('.')[2] ?? '', api.keys.client]) {
    expect(all).not.toContain(secret);
  }
});
