import { readConfig } from '@gatebook/runtime/config';
import { describe, expect, test } from 'vitest';
import { startSimulator } from './simulator-provider.ts';
import { describeStart } from './start-text.ts';

const keys = { GATEBOOK_SHARED_OAUTH_GITHUB_CLIENT_ID: 'id', GATEBOOK_SHARED_OAUTH_GITHUB_CLIENT_SECRET: 's' };
const issuer = { GATEBOOK_SHARED_OAUTH_URL: 'https://id.example.com', GATEBOOK_SHARED_OAUTH_SECRET: 's' };

describe('the simulator for sign-in providers', () => {
  test('runs on the first run, on this machine alone, and the start says so', async () => {
    const simulator = await startSimulator(readConfig({ GATEBOOK_PORT: '8102' }));
    try {
      expect(simulator?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(simulator?.oauth.sharedIssuer).toEqual({
        url: simulator?.url,
        secret: expect.stringMatching(/^[\w-]{43}$/),
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
    ['somebody configured keys', keys],
    ['somebody configured a provider for all', issuer],
    ['it has a database of its own', { GATEBOOK_DATABASE_URL: 'postgres://db.example.com/gatebook' }],
    ['others could reach it', { GATEBOOK_HOST: '0.0.0.0' }],
    ['others could reach it by IPv6', { GATEBOOK_HOST: '::' }],
    ['a proxy lets others reach it', { GATEBOOK_PUBLIC_URL: 'https://auth.example.com' }],
    ['its name only looks like this machine', { GATEBOOK_PUBLIC_URL: 'http://localhost.example.com' }],
  ])('does not run where %s', async (_, env) => {
    expect(await startSimulator(readConfig(env))).toBeNull();
  });
});
