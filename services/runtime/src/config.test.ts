import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, neededSettings, type Role, readConfig } from './config.ts';

test('an empty environment gives the embedded default', () => {
  const config = readConfig({});
  expect(config.http).toEqual({
    host: 'localhost',
    port: 8102,
    publicUrl: 'http://localhost:8102',
    trustedProxies: [],
    clientHeaders: { address: null, country: null },
  });
  expect(config.database.url).toBeNull();
  expect(config.internal.signUp).toBe('closed');
  expect(config.rateLimits.isEnabled).toBe(true);
});

test('the public URL follows the port and loses its trailing slash', () => {
  expect(readConfig({ GATEBOOK_PORT: '9000' }).http.publicUrl).toBe('http://localhost:9000');
  expect(readConfig({ GATEBOOK_PUBLIC_URL: 'https://auth.example.com/' }).http.publicUrl).toBe(
    'https://auth.example.com',
  );
});

test.each([
  ...(['http://localhost:8102', 'http://127.0.0.1:8102', 'http://[::1]:8102', 'http://auth.localhost'] as const).map(
    (url) => [url, true] as const,
  ),
  ...(
    ['https://auth.example.com', 'http://10.0.0.7:8102', 'http://localhost.example.com', 'http://127.example'] as const
  ).map((url) => [url, false] as const),
])('projects may name mail servers of private networks where Gatebook itself is local: %s', (url, may) => {
  expect(readConfig({ GATEBOOK_PUBLIC_URL: url }).smtp.projectsMayUsePrivateHosts).toBe(may);
  const told = { GATEBOOK_PUBLIC_URL: url, GATEBOOK_PRIVATE_MAIL_SERVERS: may ? 'off' : 'on' };
  expect(readConfig(told).smtp.projectsMayUsePrivateHosts).toBe(!may);
});

test('an empty value counts as absent', () => {
  expect(readConfig({ GATEBOOK_PORT: '', REDIS_URL: '' }).http.port).toBe(8102);
});

test('all faults come in one error, each with the name of its setting', () => {
  const faulty = {
    GATEBOOK_PORT: 'eighty',
    GATEBOOK_MASTER_KEY: 'c2hvcnQ=',
    GATEBOOK_DATABASE_URL: 'mysql://localhost/x',
    GATEBOOK_EVENTSTORE_URL: 'https://localhost:2113',
    GATEBOOK_PRT: '1',
  };
  expect(() => readConfig(faulty)).toThrow(ConfigError);
  for (const name of Object.keys(faulty)) expect(() => readConfig(faulty)).toThrow(name);
});

test('a header that states the address of a client needs a proxy that is trusted', () => {
  const headers = {
    GATEBOOK_CLIENT_ADDRESS_HEADER: 'CF-Connecting-IP',
    GATEBOOK_CLIENT_COUNTRY_HEADER: 'cf-ipcountry',
  };
  for (const name of Object.keys(headers)) expect(() => readConfig(headers)).toThrow(name);
  expect(readConfig({ ...headers, GATEBOOK_TRUSTED_PROXIES: '10.0.0.0/8' }).http.clientHeaders).toEqual({
    address: 'cf-connecting-ip',
    country: 'cf-ipcountry',
  });
});

test('a faulty secret is not repeated in the error', () => {
  expect(() => readConfig({ GATEBOOK_INTERNAL_SECRET_SERVER_KEY: 'swordfish' })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('swordfish') }),
  );
});

test('a setting can simulator a file', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'gatebook-config-')), 'master-key');
  writeFileSync(file, `${Buffer.alloc(32, 7).toString('base64')}\n`);
  expect(readConfig({ GATEBOOK_MASTER_KEY_FILE: file }).encryption.masterKey).toEqual(Buffer.alloc(32, 7));
  expect(() => readConfig({ GATEBOOK_MASTER_KEY_FILE: `${file}-missing` })).toThrow('GATEBOOK_MASTER_KEY_FILE');
});

test('a part of a distributed run says in one error all that it lacks', () => {
  const error = (role: Role, env: Record<string, string> = {}) => {
    try {
      readConfig(env, role);
    } catch (fault) {
      return fault instanceof ConfigError ? fault.message : String(fault);
    }
    return null;
  };
  expect(error('all')).toBeNull();
  for (const name of neededSettings.api) expect(error('api')).toContain(`${name} is missing, which the role api needs`);
  expect(error('worker')).toMatch(/GATEBOOK_DATABASE_URL.*GATEBOOK_MASTER_KEY.*GATEBOOK_PUBLIC_URL/);
  const given = { GATEBOOK_DATABASE_URL: 'postgres://db/x', GATEBOOK_MASTER_KEY: Buffer.alloc(32).toString('base64') };
  expect(error('projector', given)).toBeNull();
  expect(error('projector', { GATEBOOK_DATABASE_URL: 'postgres://db/x' })).toBe(
    'The configuration has a fault: GATEBOOK_MASTER_KEY is missing, which the role projector needs.',
  );
});

test.each([
  'esdb://localhost:2113?tls=false',
  'esdb+discover://admin:changeit@log.example.com:2113',
  'esdb://one:2113,two:2113,three:2113?tlsCAFile=/etc/ca.crt',
  'kurrentdb://localhost:2113',
])('the log may lie in EventStoreDB: %s', (url) => {
  expect(readConfig({ GATEBOOK_EVENTSTORE_URL: url }).eventStore.url).toBe(url);
});

describe('shared keys of sign-in providers', () => {
  const google = {
    GATEBOOK_SHARED_OAUTH_GOOGLE_CLIENT_ID: 'id',
    GATEBOOK_SHARED_OAUTH_GOOGLE_CLIENT_SECRET: 'swordfish',
  };
  const at = (name: string) => ({
    [`GATEBOOK_SHARED_OAUTH_${name}_AUTHORIZATION_URL`]: 'https://git.example.com/login/oauth/authorize',
    [`GATEBOOK_SHARED_OAUTH_${name}_TOKEN_URL`]: 'https://git.example.com/login/oauth/access_token',
    [`GATEBOOK_SHARED_OAUTH_${name}_USERINFO_URL`]: 'https://git.example.com/api/v3/user',
  });
  const simulator = { GATEBOOK_SHARED_OAUTH_URL: 'http://127.0.0.1:9000', GATEBOOK_SHARED_OAUTH_SECRET: 'swordfish' };

  test('there are none by default', () => {
    expect(readConfig({}).oauth).toEqual({ sharedKeys: {}, sharedIssuer: null });
  });

  test('id and secret, with endpoints or an issuer where the provider is elsewhere', () => {
    const config = readConfig({
      ...google,
      GATEBOOK_SHARED_OAUTH_GITHUB_CLIENT_ID: 'gh',
      GATEBOOK_SHARED_OAUTH_GITHUB_CLIENT_SECRET: 'swordfish',
      ...at('GITHUB'),
      GATEBOOK_SHARED_OAUTH_SPOTIFY_CLIENT_ID: 'sp',
      GATEBOOK_SHARED_OAUTH_SPOTIFY_CLIENT_SECRET: 'swordfish',
      GATEBOOK_SHARED_OAUTH_SPOTIFY_ISSUER: 'https://id.example.com/music/',
      ...simulator,
    });
    expect(config.oauth).toEqual({
      sharedKeys: {
        google: { clientId: 'id', clientSecret: 'swordfish' },
        github: {
          ...{ clientId: 'gh', clientSecret: 'swordfish' },
          authorizationEndpoint: 'https://git.example.com/login/oauth/authorize',
          tokenEndpoint: 'https://git.example.com/login/oauth/access_token',
          userinfoEndpoint: 'https://git.example.com/api/v3/user',
        },
        spotify: { clientId: 'sp', clientSecret: 'swordfish', issuer: 'https://id.example.com/music/' },
      },
      sharedIssuer: { url: 'http://127.0.0.1:9000', secret: 'swordfish' },
    });
  });

  test.each([
    ['an id without a secret', { GATEBOOK_SHARED_OAUTH_GOOGLE_CLIENT_ID: 'id' }, 'GOOGLE_CLIENT_SECRET'],
    ['a secret without an id', { GATEBOOK_SHARED_OAUTH_SPOTIFY_CLIENT_SECRET: 'swordfish' }, 'SPOTIFY_CLIENT_ID'],
    ['addresses without keys', at('GITHUB'), 'GITHUB_*'],
    [
      'some of the addresses',
      { ...google, ...at('GOOGLE'), GATEBOOK_SHARED_OAUTH_GOOGLE_TOKEN_URL: '' },
      'come together',
    ],
    [
      'an issuer and addresses',
      { ...google, ...at('GOOGLE'), GATEBOOK_SHARED_OAUTH_GOOGLE_ISSUER: 'https://a.example' },
      'ISSUER',
    ],
    [
      'a simulator without a secret',
      { ...simulator, GATEBOOK_SHARED_OAUTH_SECRET: '' },
      'GATEBOOK_SHARED_OAUTH_SECRET',
    ],
    ['a secret without a simulator', { ...simulator, GATEBOOK_SHARED_OAUTH_URL: '' }, 'GATEBOOK_SHARED_OAUTH_URL'],
    ['a secret over the open net', { ...simulator, GATEBOOK_SHARED_OAUTH_URL: 'http://id.example.com' }, 'https'],
    ['an address with a password', { ...simulator, GATEBOOK_SHARED_OAUTH_URL: 'https://a:b@id.example.com' }, 'https'],
    ['a provider that nobody shares', { GATEBOOK_SHARED_OAUTH_DISCORD_CLIENT_ID: 'id' }, 'is not a setting'],
  ])('%s stops the start, and no secret is said', (_, env, said) => {
    const fault = expect.objectContaining({ message: expect.stringContaining(said) });
    expect(() => readConfig(env)).toThrow(fault);
    expect(() => readConfig(env)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('swordfish') }),
    );
  });
});
