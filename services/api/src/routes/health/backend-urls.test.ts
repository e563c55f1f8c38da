import { describe, expect, test } from 'vitest';
import { startSuite } from '../../testing/suite.ts';

const { api } = await startSuite({ trustedProxies: ['10.0.0.0/8'], publicUrl: 'https://auth.example' });

async function urlsFor(headers: Record<string, string>, remoteAddress = '127.0.0.1') {
  const answer = await api.app.inject({ url: '/api/v1/internal/backend-urls', headers, remoteAddress });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

describe('the base URLs of the API', () => {
  test('are the one that the caller used', async () => {
    expect(await urlsFor({ host: 'gatebook:8102' })).toEqual({ urls: ['http://gatebook:8102'] });
    expect(await urlsFor({ host: '[::1]:8102' })).toEqual({ urls: ['http://[::1]:8102'] });
  });

  test('follow the headers of trusted proxies only', async () => {
    const forwarded = { host: 'gatebook:8102', 'x-forwarded-host': 'eu.example', 'x-forwarded-proto': 'https' };
    expect(await urlsFor(forwarded, '10.0.0.7')).toEqual({ urls: ['https://eu.example'] });
    expect(await urlsFor(forwarded)).toEqual({ urls: ['http://gatebook:8102'] });
  });

  test('are the public URL at its name, even behind a TLS proxy that is not trusted', async () => {
    expect(await urlsFor({ host: 'AUTH.example' })).toEqual({ urls: ['https://auth.example'] });
  });

  test.each(['a b', 'user@evil.example', 'evil.example/path', 'evil.example:99999999'])(
    'are the public URL for the invalid host %j',
    async (host) => expect(await urlsFor({ host })).toEqual({ urls: ['https://auth.example'] }),
  );
});
