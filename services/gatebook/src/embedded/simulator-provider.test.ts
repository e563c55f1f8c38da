import { readConfig } from '@gatebook/runtime/config';
import { describe, expect, test } from 'vitest';
import { startSimulator } from './simulator-provider.ts';
import { describeStart } from './start-text.ts';

const keys = { GATEBOOK_SHARED_OAUTH_GITHUB_CLIENT_ID: 'id', GATEBOOK_SHARED_OAUTH_GITHUB_CLIENT_SECRET: 's' };
const issuer = { GATEBOOK_SHARED_OAUTH_URL: 'https://id.example.com', GATEBOOK_SHARED_OAUTH_SECRET: 's' };

describe('the simulator for sign-in providers', () => {
  test('the simulator runs on the first run, on loopback only, and the start text mentions it', async () => {
    const simulator = await startSimulator(readConfig({ GATEBOOK_PORT: '8102' }));
    try {
      expect(simulator?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(simulator?.oauth.sharedIssuer).toEqual({
        url: simulator?.url,
        secret: expect.stringMatching(/^[\w-]{43}$/),
        ownKeys: { clientId: 'simulator', clientSecret: 'simulator' },
      });
      const found = await fetch(`${simulator?.url}/.well-known/openid-configuration`);
      expect(await found.json()).toMatchObject({ issuer: simulator?.url, token_endpoint: `${simulator?.url}/token` });
      const started = { publicUrl: 'http://localhost:8102', dataDir: '/data', setupToken: null, hasInbox: true };
      expect(describeStart({ ...started, simulatorUrl: simulator?.url ?? null })).toContain(
        `a simulator for development at ${simulator?.url}`,
      );
      expect(describeStart({ ...started, simulatorUrl: null })).not.toContain('simulator');
    } finally {
      await simulator?.close();
    }
  });

  test.each([
    ['provider keys are configured', keys],
    ['a shared provider is configured', issuer],
    ['an external database is configured', { GATEBOOK_DATABASE_URL: 'postgres://db.example.com/gatebook' }],
    ['Gatebook listens on all addresses', { GATEBOOK_HOST: '0.0.0.0' }],
    ['Gatebook listens on all IPv6 addresses', { GATEBOOK_HOST: '::' }],
    ['the public URL is not local', { GATEBOOK_PUBLIC_URL: 'https://auth.example.com' }],
    ['the host name only resembles localhost', { GATEBOOK_PUBLIC_URL: 'http://localhost.example.com' }],
  ])('the simulator does not run if %s', async (_, env) => {
    expect(await startSimulator(readConfig(env))).toBeNull();
  });
});
