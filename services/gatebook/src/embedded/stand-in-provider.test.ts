import { readConfig } from '@gatebook/runtime/config';
import { describe, expect, test } from 'vitest';
import { startStandIn } from './stand-in-provider.ts';
import { describeStart } from './start-text.ts';

const keys = { GATEBOOK_SHARED_OAUTH_GITHUB_CLIENT_ID: 'id', GATEBOOK_SHARED_OAUTH_GITHUB_CLIENT_SECRET: 's' };
const issuer = { GATEBOOK_SHARED_OAUTH_URL: 'https://id.example.com', GATEBOOK_SHARED_OAUTH_SECRET: 's' };

describe('the stand-in for sign-in providers', () => {
  test('runs on the first run, on this machine alone, and the start says so', async () => {
    const standIn = await startStandIn(readConfig({ GATEBOOK_PORT: '8102' }));
    try {
      expect(standIn?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(standIn?.oauth.sharedIssuer).toEqual({ url: standIn?.url, secret: expect.stringMatching(/^[\w-]{43}$/) });
      const found = await fetch(`${standIn?.url}/.well-known/openid-configuration`);
      expect(await found.json()).toMatchObject({ issuer: standIn?.url, token_endpoint: `${standIn?.url}/token` });
      const started = { publicUrl: 'http://localhost:8102', dataDir: '/data', setupToken: null, hasInbox: true };
      expect(describeStart({ ...started, standInUrl: standIn?.url ?? null })).toContain(
        `a stand-in for development at ${standIn?.url}`,
      );
      expect(describeStart({ ...started, standInUrl: null })).not.toContain('stand-in');
    } finally {
      await standIn?.close();
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
    expect(await startStandIn(readConfig(env))).toBeNull();
  });
});
