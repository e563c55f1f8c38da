import type { ServerResponse } from 'node:http';
import type { ProviderId } from '@gatebook/commands/oauth/oauth-providers';
import { DomainError } from '@gatebook/domain/errors';
import { afterAll, beforeEach, expect } from 'vitest';
import { createOAuthProviders } from '../client.ts';
import { providerEntries } from '../providers/list.ts';
import { maxResponseBytes } from '../request.ts';
import { answered, authorization, now, nowSeconds } from './authorization.ts';
import { entryAt, idToken, keySet, startProviderServer, type Told } from './provider-server.ts';

/** Words that no error may repeat. */
const secrets = ['swordfish', 'the-code', 'access-42', 'refresh-42'];
export const keysOf = (id: ProviderId) =>
  ({ id, type: 'standard', clientId: 'our-id', clientSecret: 'swordfish' }) as const;

export const claims = {
  iss: 'https://accounts.google.com',
  aud: 'our-id',
  sub: 'ann-1',
  iat: nowSeconds,
  exp: nowSeconds + 3600,
};
export const tokens = {
  access_token: 'access-42',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'refresh-42',
};
export const github = { id: 42, name: 'Ann' };
export const emails = [{ email: 'ann@example.com', primary: true, verified: true }];

/** A server for the tests of one file; before each of them github and google are well on it. */
export async function startMisbehavingProvider() {
  const server = await startProviderServer();
  beforeEach(() => {
    server.forget();
    server.tell({
      '/token': { json: { ...tokens, id_token: idToken(claims) } },
      '/keys': { json: keySet },
      '/profile': { json: { ...github, sub: 'ann-1' } },
      '/profile/emails': { json: emails },
    });
  });
  afterAll(() => server.close());

  const providers = ({ timeoutMs = 5000 }: { timeoutMs?: number } = {}) =>
    createOAuthProviders({
      sharedKeys: {},
      sharedIssuer: null,
      timeoutMs,
      now: () => now,
      entries: {
        github: entryAt(providerEntries.github, server.url),
        google: entryAt(providerEntries.google, server.url),
        microsoft: entryAt(providerEntries.microsoft, server.url),
        facebook: entryAt(providerEntries.facebook, server.url),
        linkedin: entryAt(providerEntries.linkedin, server.url),
        x: entryAt(providerEntries.x, server.url),
        bitbucket: entryAt(providerEntries.bitbucket, server.url),
        gitlab: entryAt(providerEntries.gitlab, server.url),
      },
    });
  const signIn = (id: ProviderId, answer = answered()) => providers().identify(keysOf(id), authorization, answer);
  const redirect: Told = (response) => {
    response.writeHead(302, { location: `${server.url}/elsewhere` });
    response.end();
  };
  return { server, providers, signIn, redirect };
}

/** The rejection, which holds nothing secret in any of its parts. */
export async function toRejection(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => expect.fail('this should have been rejected'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DomainError)) throw error;
  const said = `${error.message} ${error.stack} ${JSON.stringify(error.details)} ${String(error.cause)}`;
  for (const secret of secrets) expect(said).not.toContain(secret);
  return error.code.replace(/^OAUTH_PROVIDER_/, '');
}

export const status =
  (code: number, body = '', type = 'text/html'): Told =>
  (response: ServerResponse) => {
    response.writeHead(code, { 'content-type': type });
    response.end(body);
  };
export const html = '<html>Sorry</html>';
export const silence: Told = () => undefined;
export const halfAnAnswer: Told = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"access_token":"access-42"');
  response.destroy();
};
export const endless: Told = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};
export const huge: Told = { json: { ...tokens, id: 1, padding: 'x'.repeat(maxResponseBytes) } };
