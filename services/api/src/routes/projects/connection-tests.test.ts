import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DomainError } from '@gatebook/domain/errors';
import { afterAll, expect, test, vi } from 'vitest';
import { createProject, expectSchemaError } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const seen: string[] = [];
const app = createServer((request, response) => {
  seen.push(request.url ?? '');
  response.writeHead(request.url === '/handler/sign-in' ? 200 : 404).end('page');
});
await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
afterAll(() => app.close());
const origin = `http://localhost:${(app.address() as AddressInfo).port}`;

const { api, send } = await startSuite();
const project = await createProject(send);
const admin = (body: object) => ({ ...project, access: 'admin' as const, body });
const testProvider = (body: object) => send('POST', '/internal/projects/current/oauth-providers/test', admin(body));
const testDomain = (domain: string, handler_path = '/handler') =>
  send('POST', '/internal/projects/current/domains/test', admin({ domain, handler_path }));
const google = { type: 'standard', id: 'google', client_id: 'c', client_secret: 's' };

test('client ID and secret are tested as they were sent, with the callback URL', async () => {
  const identify = vi
    .spyOn(api.deps.oauthProviders, 'identify')
    .mockRejectedValueOnce(new DomainError('OAUTH_PROVIDER_CODE_REJECTED'))
    .mockRejectedValueOnce(new DomainError('OAUTH_PROVIDER_KEYS_REJECTED'));
  expect((await testProvider(google)).body).toEqual({ result: 'accepted' });
  expect((await testProvider(google)).body).toEqual({ result: 'keys_rejected' });
  const [keys, { redirectUri }] = identify.mock.calls[0] ?? [{}, { redirectUri: '' }];
  expect(keys).toMatchObject({ id: 'google', type: 'standard', clientId: 'c', clientSecret: 's' });
  expect(redirectUri).toMatch(/\/api\/v1\/auth\/oauth\/callback\/google$/);
  expectSchemaError(await testProvider({ ...google, client_secret: '' }), 'body.client_secret');
});

test('the sign-in page of a domain is requested', async () => {
  const found = await testDomain(origin);
  expect(found.body).toEqual({ url: `${origin}/handler/sign-in`, status: 200, reason: null });
  expect((await testDomain(origin, '/auth/')).body).toMatchObject({ url: `${origin}/auth/sign-in`, status: 404 });
  expect(seen).toEqual(['/handler/sign-in', '/auth/sign-in']);
});

test('a domain that must not be requested, or does not answer, is told apart', async () => {
  const metadata = await testDomain('http://169.254.169.254');
  expect(metadata.body).toMatchObject({ status: null, reason: 'not_allowed' });
  expect((await testDomain('http://localhost:9')).body).toMatchObject({ status: null, reason: 'not_allowed' });
  const elsewhere = await testDomain(origin, '//169.254.169.254/latest');
  expect(elsewhere.body.url.startsWith(`${origin}/`)).toBe(true);
  expectSchemaError(await testDomain('https://*.shop.example'), 'body.domain');
});
