import { describe, expect, test } from 'vitest';
import { expectPlain, newEmail, password } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

const { api, send } = await startSuite();

const fetchedFrom = (site: string, mode: string, dest = 'empty') => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest,
});
const signUp = (headers: Record<string, string>) => {
  const body = { email: newEmail(), password, verification_callback_url: 'http://localhost' };
  return send('POST', '/auth/password/sign-up', { body, headers });
};

describe('a page of another site', () => {
  test('writes nothing with a form, an image or a fetch without preflight', async () => {
    const rejected = [
      fetchedFrom('cross-site', 'navigate', 'document'),
      fetchedFrom('cross-site', 'no-cors'),
      fetchedFrom('same-site', 'navigate', 'iframe'),
    ];
    for (const headers of rejected) expectPlain(await signUp(headers), 403);
    const grant = 'grant_type=refresh_token&refresh_token=x&client_id=internal';
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...fetchedFrom('cross-site', 'navigate') };
    const token = await api.app.inject({
      method: 'POST',
      url: '/api/v1/auth/oauth/token',
      headers: form,
      payload: grant,
    });
    expect(token.statusCode).toBe(403);
  });

  test('calls the API with fetch, as apps do', async () => {
    expect((await signUp(fetchedFrom('cross-site', 'cors'))).status).toBe(200);
    expect((await signUp(fetchedFrom('same-origin', 'same-origin'))).status).toBe(200);
    expect((await signUp({})).status).toBe(200);
  });

  test('reads in every way', async () => {
    const keys = { method: 'GET', url: '/api/v1/projects/internal/.well-known/jwks.json' } as const;
    const answer = await api.app.inject({ ...keys, headers: fetchedFrom('cross-site', 'no-cors', 'script') });
    expect(answer.statusCode).toBe(200);
  });
});

describe('the callback of sign-in providers', () => {
  const open = async (method: 'GET' | 'POST', headers: Record<string, string>) => {
    const url = `/api/v1/auth/oauth/callback/github?state=${'a'.repeat(43)}&code=x`;
    const form = method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
    return api.app.inject({
      method,
      url,
      headers: { ...form, ...headers },
      ...(method === 'POST' && { payload: 'x=1' }),
    });
  };

  test.each(['GET', 'POST'] as const)('rejects fetches and frames of other sites: %s', async (method) => {
    for (const headers of [
      fetchedFrom('cross-site', 'cors'),
      fetchedFrom('cross-site', 'no-cors', 'image'),
      fetchedFrom('cross-site', 'navigate', 'iframe'),
    ]) {
      expect((await open(method, headers)).statusCode).toBe(403);
    }
  });

  test.each(['GET', 'POST'] as const)('accepts navigation from the provider: %s', async (method) => {
    const answer = await open(method, fetchedFrom('cross-site', 'navigate', 'document'));
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('not started in this browser')]);
  });
});
