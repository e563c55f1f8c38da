import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { createFormerSystem } from './former-system.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const credentials = { projectId: 'shop', email: 'ann@example.com', password: 'correct horse' };
type Received = { headers: IncomingHttpHeaders; body: string };
const servers: Server[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A system with one answer; undefined: it never answers. */
async function startFormerSystem(answer: () => { status: number; body: unknown } | undefined) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: (await Array.fromAsync(request)).join('') });
    const given = answer();
    if (given) response.writeHead(given.status).end(JSON.stringify(given.body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://localhost:${typeof address === 'object' ? address?.port : 0}/check`;
  return { target: { url, secret }, received };
}

test('asks with a signature, and returns the profile', async () => {
  const user = { email_verified: true, display_name: 'Ann', server_metadata: { plan: 'pro' } };
  const { target, received } = await startFormerSystem(() => ({ status: 200, body: { valid: true, user } }));
  const found = await createFormerSystem({ allowPrivate: true }).check(target, credentials);
  expect(found).toMatchObject({ isEmailVerified: true, displayName: 'Ann', serverMetadata: { plan: 'pro' } });
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  expect(JSON.parse(body)).toEqual({ project_id: 'shop', email: 'ann@example.com', password: 'correct horse' });
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const signature = createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${signature}`);
});

test.each([
  ['a wrong password', 200, { valid: false }],
  ['an error', 500, { valid: true }],
  ['a redirect', 302, { valid: true }],
  ['another answer', 200, { ok: true }],
  ['a profile that breaks the rules', 200, { valid: true, user: { display_name: 7 } }],
])('%s is not a user', async (_, status, body) => {
  const { target } = await startFormerSystem(() => ({ status, body }));
  expect(await createFormerSystem({ allowPrivate: true }).check(target, credentials)).toBeNull();
});

test('a system that fails is not asked again until it had time to recover', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let status = 500;
  const { target, received } = await startFormerSystem(() => ({ status, body: { valid: true } }));
  const system = createFormerSystem({ allowPrivate: true });
  for (let n = 0; n < 10; n += 1) expect(await system.check(target, credentials)).toBeNull();
  expect(received).toHaveLength(5);
  vi.advanceTimersByTime(31_000);
  expect(await system.check(target, credentials)).toBeNull();
  expect(await system.check(target, credentials)).toBeNull();
  expect(received).toHaveLength(6);
  status = 200;
  vi.advanceTimersByTime(31_000);
  expect(await system.check(target, credentials)).not.toBeNull();
  expect(await system.check(target, credentials)).not.toBeNull();
});

test.each([
  ['a wrong password', 200, { valid: false }],
  ['rejected input', 422, {}],
  ['a profile that breaks the rules', 200, { valid: true, user: { display_name: 7 } }],
])('%s is not a failure', async (_, status, body) => {
  const { target, received } = await startFormerSystem(() => ({ status, body }));
  const system = createFormerSystem({ allowPrivate: true });
  for (let n = 0; n < 10; n += 1) await system.check(target, credentials);
  expect(received).toHaveLength(10);
});

test('a system in a private network is not asked unless that is allowed', async () => {
  const { target, received } = await startFormerSystem(() => ({ status: 200, body: { valid: true } }));
  expect(await createFormerSystem({ allowPrivate: false }).check(target, credentials)).toBeNull();
  expect(received).toHaveLength(0);
});
