import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureDatabase, startEmbeddedPostgres } from '@gatebook/gatebook/embedded/postgres';
import { createFaultyLink, type FaultyLink } from '@gatebook/runtime/testing/faulty-link';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Part, startPart } from '../testing/parts.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys } from '../testing/product.ts';

let folder: string;
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
let link: FaultyLink;
const parts: Part[] = [];

async function startServer(): Promise<void> {
  server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), maxConnections: 300 });
}

/** Its port changes with each start. */
async function restartServer(): Promise<void> {
  await startServer();
  link.forwardTo(server.url('gatebook'));
}

/** Keeps the owner of the files, which is not always the account of this process. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', join(folder, from), join(folder, to)]);

async function stopServer(): Promise<void> {
  link.sever();
  await server.stop();
}

beforeAll(async () => {
  folder = await makePassableFolder('gatebook-fall-back-');
  await startServer();
  await ensureDatabase(server, 'gatebook');
  link = await createFaultyLink(server.url('gatebook'));
  const settings = {
    GATEBOOK_DATABASE_URL: link.url,
    GATEBOOK_MASTER_KEY: randomBytes(32).toString('base64'),
    GATEBOOK_PUBLIC_URL: 'http://localhost:8102',
    GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY: internalKeys.client,
    GATEBOOK_INTERNAL_SECRET_SERVER_KEY: internalKeys.server,
    GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY: internalKeys.admin,
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_LOG_LEVEL: 'error',
  };
  parts.push(await startPart('projector', settings), await startPart('worker', settings));
  parts.push(...(await Promise.all([startPart('api', settings), startPart('api', settings)])));
});
afterAll(async () => {
  await Promise.all(parts.map((part) => part.signal('SIGKILL')));
  await server.stop();
  await link.close();
  await rm(folder, { recursive: true, force: true });
});

async function send(
  { url }: Part,
  method: string,
  path: string,
  key: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      'x-stack-access-type': 'admin',
      'x-stack-project-id': 'internal',
      'x-stack-super-secret-admin-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, isStale: answer.headers.get('x-read-model') !== null, body: await answer.json() };
}

/** Signs a user in. @returns the status of their own requests, and of their sign-out */
async function signIn(at: Part, email: string) {
  const user = await send(at, 'POST', '/users', internalKeys.admin, { display_name: email });
  const session = await send(at, 'POST', '/auth/sessions', internalKeys.admin, { user_id: user.body.id });
  const token = { 'x-stack-access-token': session.body.access_token as string };
  return {
    statusAt: async (api: Part) => (await send(api, 'GET', '/users/me', internalKeys.admin, undefined, token)).status,
    signOut: async (api: Part) =>
      (await send(api, 'DELETE', '/auth/sessions/current', internalKeys.admin, undefined, token)).status,
  };
}

test('after a restore under running processes, what is revoked at one API is rejected by the other, and writes are not stale', async () => {
  const [one, other] = parts.slice(2) as [Part, Part];
  const admin = internalKeys.admin;
  const signedIn = await signIn(one, 'ann@example.com');
  const made = await send(one, 'POST', '/internal/api-keys', admin, {
    description: 'leaked',
    expires_at_millis: Date.parse('2099-01-01'),
    has_publishable_client_key: false,
    has_secret_server_key: false,
    has_super_secret_admin_key: true,
  });
  const leaked = made.body.super_secret_admin_key as string;
  await stopServer();
  await copy('postgres', 'copy');
  await restartServer();
  const isUp = async () => (await send(one, 'POST', '/users', admin, {})).status;
  await expect.poll(isUp).toBe(201);
  for (let n = 0; n < 40; n += 1) await send(n % 2 === 0 ? one : other, 'POST', '/users', admin, {});
  // Fills the caches.
  for (const api of [one, other])
    expect((await send(api, 'GET', '/internal/projects/current', leaked)).status).toBe(200);
  for (const api of [one, other, one, other]) expect(await signedIn.statusAt(api)).toBe(200);

  await stopServer();
  await rm(join(folder, 'postgres'), { recursive: true });
  await copy('copy', 'postgres');
  await restartServer();
  await expect
    .poll(async () => (await send(one, 'PATCH', `/internal/api-keys/${made.body.id}`, admin, { revoked: true })).status)
    .toBe(200);
  const revokedAt = performance.now();
  expect(await signedIn.signOut(one)).toBe(200);
  expect(await signedIn.statusAt(other)).toBe(401);
  let acceptedAt = revokedAt;
  // A request may wait for the read model, so the time at which it began counts.
  await expect
    .poll(
      async () => {
        const beganAt = performance.now();
        const { status } = await send(other, 'GET', '/internal/projects/current', leaked);
        if (status === 200) acceptedAt = beganAt;
        return status;
      },
      { interval: 20 },
    )
    .toBe(401);
  expect(acceptedAt - revokedAt).toBeLessThan(2_000);
  // The read models are built again first.
  for (const api of [one, other]) {
    await expect.poll(async () => (await send(api, 'POST', '/users', admin, {})).isStale).toBe(false);
  }
  let stale = 0;
  for (let n = 0; n < 24; n += 1) {
    const written = await send(n % 2 === 0 ? one : other, 'POST', '/users', admin, {});
    const read = await send(n % 2 === 0 ? other : one, 'GET', `/users/${written.body.id}`, admin);
    expect([written.status, read.status]).toEqual([201, 200]);
    if (written.isStale || read.isStale) stale += 1;
  }
  expect(stale).toBe(0);
});
