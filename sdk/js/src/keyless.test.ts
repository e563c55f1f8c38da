import { expect, test } from 'vitest';
import { createClientApp } from './client-app.ts';
import { fakeNetwork, tokenFor } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

test('a client without a publishable key sends none, not even to refresh its tokens', async () => {
  const { network, requests } = fakeNetwork(() => ({ json: { access_token: tokenFor(600_000) } }));
  const app = createClientApp({
    baseUrl: 'https://auth.example',
    projectId: 'p',
    tokenStore: createMemoryTokenStore({ accessToken: null, refreshToken: 'r' }),
    network,
  });
  await app.me.find().catch(() => undefined);
  const [refresh, read] = requests;
  expect(refresh?.body).toEqual({ grant_type: 'refresh_token', refresh_token: 'r', client_id: 'p' });
  expect(read?.url).toBe('https://auth.example/api/v1/users/me');
  expect(read?.headers).not.toHaveProperty('x-stack-publishable-client-key');
});
