import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, neededSettings, type Role, readConfig } from './config.ts';

test('readConfig returns the embedded defaults for an empty environment', () => {
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

test('the public URL defaults to the port on localhost and has no trailing slash', () => {
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
])('private email servers are allowed by default only when the public URL is local: %s', (url, isLocal) => {
  expect(readConfig({ GATEBOOK_PUBLIC_URL: url }).smtp.projectsMayUsePrivateHosts).toBe(isLocal);
  const given = { GATEBOOK_PUBLIC_URL: url, GATEBOOK_PRIVATE_MAIL_SERVERS: isLocal ? 'off' : 'on' };
  expect(readConfig(given).smtp.projectsMayUsePrivateHosts).toBe(!isLocal);
});

test('an empty setting counts as absent', () => {
  expect(readConfig({ GATEBOOK_PORT: '', REDIS_URL: '' }).http.port).toBe(8102);
});

test('one configuration error lists all faults, each with the name of its setting', () => {
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

test('client address and country headers require trusted proxies', () => {
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

test('a configuration error does not contain the invalid secret', () => {
  expect(() => readConfig({ GATEBOOK_INTERNAL_SECRET_SERVER_KEY: 'swordfish' })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('swordfish') }),
  );
});

test('a setting can be read from a file', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'gatebook-config-')), 'master-key');
  writeFileSync(file, `${Buffer.alloc(32, 7).toString('base64')}\n`);
  expect(readConfig({ GATEBOOK_MASTER_KEY_FILE: file }).encryption.masterKey).toEqual(Buffer.alloc(32, 7));
  expect(() => readConfig({ GATEBOOK_MASTER_KEY_FILE: `${file}-missing` })).toThrow('GATEBOOK_MASTER_KEY_FILE');
});

test('one configuration error lists all settings that a role lacks', () => {
  const error = (role: Role, env: Record<string, string> = {}) => {
    try {
      readConfig(env, role);
    } catch (fault) {
      return fault instanceof ConfigError ? fault.message : String(fault);
    }
    return null;
  };
  expect(error('all')).toBeNull();
  for (const name of neededSettings.api) expect(error('api')).toContain(`${name} is required for role api`);
  expect(error('worker')).toMatch(/GATEBOOK_DATABASE_URL.*GATEBOOK_MASTER_KEY.*GATEBOOK_PUBLIC_URL/);
  const given = { GATEBOOK_DATABASE_URL: 'postgres://db/x', GATEBOOK_MASTER_KEY: Buffer.alloc(32).toString('base64') };
  expect(error('projector', given)).toBeNull();
  expect(error('projector', { GATEBOOK_DATABASE_URL: 'postgres://db/x' })).toBe(
    'Invalid configuration: GATEBOOK_MASTER_KEY is required for role projector.',
  );
});

test.each([
  'esdb://localhost:2113?tls=false',
  'esdb+discover://admin:changeit@log.example.com:2113',
  'esdb://one:2113,two:2113,three:2113?tlsCAFile=/etc/ca.crt',
  'kurrentdb://localhost:2113',
])('GATEBOOK_EVENTSTORE_URL accepts EventStoreDB connection strings: %s', (url) => {
  expect(readConfig({ GATEBOOK_EVENTSTORE_URL: url }).eventStore.url).toBe(url);
});

test('the EventStoreDB user and password may be separate settings', () => {
  const [url, user] = ['esdb://one:2113,two:2113?tlsCAFile=/etc/ca.crt', { GATEBOOK_EVENTSTORE_USER: 'gate@book' }];
  const password = { GATEBOOK_EVENTSTORE_PASSWORD: 'p/w:1' };
  const read = (env: Record<string, string>) => readConfig({ GATEBOOK_EVENTSTORE_URL: url, ...env }).eventStore.url;
  expect(read({ ...user, ...password })).toBe('esdb://gate%40book:p%2Fw%3A1@one:2113,two:2113?tlsCAFile=/etc/ca.crt');
  expect(() => read(user)).toThrow('GATEBOOK_EVENTSTORE_USER requires GATEBOOK_EVENTSTORE_PASSWORD');
  expect(() => read(password)).toThrow('GATEBOOK_EVENTSTORE_PASSWORD requires GATEBOOK_EVENTSTORE_USER');
  const named = { GATEBOOK_EVENTSTORE_URL: 'esdb://admin:changeit@localhost' };
  expect(() => read({ ...user, ...password, ...named })).toThrow('has a user name already');
  expect(() => readConfig({ ...user, ...password })).toThrow(
    'GATEBOOK_EVENTSTORE_USER requires GATEBOOK_EVENTSTORE_URL',
  );
});

test.each(['gatebook_', 'a', 'Gate.book-2'])('GATEBOOK_EVENTSTORE_PREFIX accepts %s', (prefix) => {
  expect(readConfig({ GATEBOOK_EVENTSTORE_PREFIX: prefix }).eventStore.streamPrefix).toBe(prefix);
});

test.each(['$all', ' ', 'a/b', 'x'.repeat(51)])('GATEBOOK_EVENTSTORE_PREFIX rejects %j', (prefix) => {
  expect(() => readConfig({ GATEBOOK_EVENTSTORE_PREFIX: prefix })).toThrow('GATEBOOK_EVENTSTORE_PREFIX: must be');
});

describe('shared OAuth provider keys', () => {
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

  test('are absent by default', () => {
    expect(readConfig({}).oauth).toEqual({ sharedKeys: {}, sharedIssuer: null });
  });

  test('consist of an ID and a secret, with endpoints or an issuer for a provider elsewhere', () => {
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
          clientId: 'gh',
          clientSecret: 'swordfish',
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
      'must be set together',
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
    ['a secret over plain http', { ...simulator, GATEBOOK_SHARED_OAUTH_URL: 'http://id.example.com' }, 'https'],
    ['an address with a password', { ...simulator, GATEBOOK_SHARED_OAUTH_URL: 'https://a:b@id.example.com' }, 'https'],
    ['a provider without shared keys', { GATEBOOK_SHARED_OAUTH_DISCORD_CLIENT_ID: 'id' }, 'is not a Gatebook setting'],
  ])('are rejected with %s, without repeating a secret', (_, env, message) => {
    const fault = expect.objectContaining({ message: expect.stringContaining(message) });
    expect(() => readConfig(env)).toThrow(fault);
    expect(() => readConfig(env)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('swordfish') }),
    );
  });
});
