import { createServer } from 'node:http';
import { createFormerSystem } from '@gatebook/commands/adapters/former-system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, expectKnown, expectSchemaError, newEmail } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
api.deps.formerSystem = createFormerSystem({ allowPrivate: true });
const path = '/internal/projects/current/password-migration';
const project = await createProject(send);
const asAdmin = { ...project, access: 'admin' as const };
const server = createServer(async (request, response) => {
  const { password } = JSON.parse((await Array.fromAsync(request)).join(''));
  response.end(JSON.stringify(password === 'former password' ? { valid: true, user: {} } : { valid: false }));
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://localhost:${typeof address === 'object' ? address?.port : 0}/check`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('users of the former system sign in while the migration is on', async () => {
  expect((await send('GET', path, asAdmin)).body).toEqual({ url: null, secret: null });
  const set = await send('PUT', path, { ...asAdmin, body: { url } });
  expect(set.body).toEqual({ url, secret: expect.stringMatching(/^whsec_/) });
  expect((await send('GET', path, asAdmin)).body).toEqual(set.body);

  const email = newEmail();
  const signIn = (password: string, address = email) =>
    send('POST', '/auth/password/sign-in', { ...project, body: { email: address, password } });
  expectKnown(await signIn('wrong password'), 400, 'EMAIL_PASSWORD_MISMATCH');
  const first = await signIn('former password');
  expect(first.status).toBe(200);

  await send('PUT', path, { ...asAdmin, body: { url: null } });
  expect((await signIn('former password')).body.user_id).toBe(first.body.user_id);
  expectKnown(await signIn('former password', newEmail()), 400, 'EMAIL_PASSWORD_MISMATCH');
});

test.each(['http://example.com/', 'https://169.254.169.254/', 'https://example.com:25/', 'ftp://example.com/'])(
  '%s is rejected',
  async (target) => {
    expectSchemaError(await send('PUT', path, { ...asAdmin, body: { url: target } }), 'body.url');
  },
);
