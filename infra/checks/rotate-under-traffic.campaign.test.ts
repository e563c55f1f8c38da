import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { masterKeyId } from '@gatebook/eventlog/encryption/master-key';
import { runLine } from '@gatebook/gatebook/testing/run-line';
import { findFreePort } from '@gatebook/runtime/free-port';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';

type Answer = { status: number; body: Record<string, unknown> };
type Call = { body?: unknown; as?: string; refreshToken?: string };

async function send(url: string, method: string, path: string, { body, as, refreshToken }: Call = {}): Promise<Answer> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      'x-stack-access-type': 'client',
      'x-stack-project-id': 'internal',
      'x-stack-publishable-client-key': internalKeys.client,
      ...(as === undefined ? {} : { 'x-stack-access-token': as }),
      ...(refreshToken === undefined ? {} : { 'x-stack-refresh-token': refreshToken }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : { text } };
}

const password = 'rotated during traffic';
const signUp = (url: string, email: string) =>
  send(url, 'POST', '/auth/password/sign-up', {
    body: { email, password, verification_callback_url: 'http://localhost:8102/verify' },
  });

/** Users sign up, sign in, refresh, read and update themselves, each request at the other process. */
function startTraffic(urls: readonly string[]) {
  const faults: string[] = [];
  const emails: string[] = [];
  let [isOver, rounds] = [false, 0];

  async function round(person: number): Promise<void> {
    const at = (step: number) => urls[(person + rounds + step) % urls.length] ?? '';
    const expectOk = (what: string, { status, body }: Answer) => {
      if (status !== 200) faults.push(`${what} answered ${status}: ${JSON.stringify(body).slice(0, 200)}`);
    };
    const email = `person${person}-${rounds}-${randomBytes(4).toString('hex')}@traffic.example`;
    expectOk('sign-up', await signUp(at(0), email));
    const signedIn = await send(at(1), 'POST', '/auth/password/sign-in', { body: { email, password } });
    expectOk('sign-in', signedIn);
    const refreshToken = String(signedIn.body.refresh_token);
    const refreshed = await send(at(0), 'POST', '/auth/sessions/current/refresh', { refreshToken });
    expectOk('refresh', refreshed);
    const as = String(refreshed.body.access_token);
    expectOk('write', await send(at(1), 'PATCH', '/users/me', { as, body: { display_name: email } }));
    const me = await send(at(0), 'GET', '/users/me', { as });
    expectOk('read', me);
    if (me.body.display_name !== email) faults.push(`wrote ${email}, read ${me.body.display_name}`);
    emails.push(email);
    rounds += 1;
  }
  const working = Promise.all(
    Array.from({ length: 3 }, async (_, person) => {
      while (!isOver) await round(person).catch((error: unknown) => faults.push(String(error)));
    }),
  );
  return {
    faults,
    emails,
    rounds: () => rounds,
    stop: async () => {
      isOver = true;
      await working;
    },
  };
}

const kidOf = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[0] ?? '', 'base64url').toString()).kid;
const toText = (key: Buffer) => key.toString('base64');

let database: TestDatabase;
let folders: string[];
let products: Product[];
beforeEach(async () => {
  database = await testDatabase();
  folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'gatebook-rotation-'))));
  products = [];
});
afterEach(async () => {
  for (const product of products) await product.stop();
  await database.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function wrappers(): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select distinct split_part(wrapped, '.', 1) as id from (
       select wrapped from keys.subjects union all select wrapped from keys.signing
       union all select wrapped from keys.installation) k where wrapped is not null`,
  );
  return rows.map(({ id }) => id);
}

async function settings(): Promise<Record<string, string>> {
  const port = String(await findFreePort());
  return {
    GATEBOOK_DATABASE_URL: database.url,
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_INTERNAL_SIGN_UP: 'open',
    GATEBOOK_LOG_LEVEL: 'warn',
    GATEBOOK_PORT: port,
    GATEBOOK_PUBLIC_URL: `http://localhost:${port}`,
  };
}

test('rotating signing and master keys under traffic at two processes causes no errors', async () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const common = await settings();
  const [first = '', second = ''] = folders;
  const made = await startProduct({ ...common, GATEBOOK_DATA_DIR: first, GATEBOOK_MASTER_KEY: toText(oldKey) });
  products.push(made);
  const longSession = (await signUp(made.url, 'long@traffic.example')).body;
  for (const product of products.splice(0)) await product.stop();

  const env = { ...common, GATEBOOK_MASTER_KEY: toText(newKey), GATEBOOK_FORMER_MASTER_KEYS: toText(oldKey) };
  const other = { GATEBOOK_DATA_DIR: second, GATEBOOK_PORT: String(await findFreePort()) };
  products.push(await startProduct({ ...env, GATEBOOK_DATA_DIR: first }));
  products.push(await startProduct({ ...env, ...other }));
  const [here = '', there = ''] = products.map(({ url }) => url);

  const traffic = startTraffic([here, there]);
  const go = (count: number) => expect.poll(traffic.rounds).toBeGreaterThan(traffic.rounds() + count);
  await go(5);
  expect(await wrappers()).toEqual([masterKeyId(oldKey)]);
  expect((await runLine('keys rotate signing', { env })).code).toBe(0);
  await go(3);
  const rotated = await runLine('keys rotate master --settle 2 --json', { env });
  expect(rotated).toMatchObject({ code: 0, errors: '' });
  expect(rotated.lines()[0].wrapped).toBeGreaterThan(10);
  await go(10);
  expect(await wrappers()).toEqual([masterKeyId(newKey)]);
  await traffic.stop();
  expect(traffic.faults).toEqual([]);
  // A token from before the rotation is still valid.
  const long = { as: String(longSession.access_token) };
  expect((await send(there, 'GET', '/users/me', long)).status).toBe(200);

  // After a withdrawal all processes reject the tokens of the key, but sessions continue.
  const leaked = kidOf(longSession.access_token);
  const withdrawn = await runLine(`keys withdraw ${leaked} --json`, { env });
  expect(withdrawn).toMatchObject({ code: 0 });
  for (const url of [here, there]) {
    await expect.poll(async () => (await send(url, 'GET', '/users/me', long)).status).toBe(401);
    expect((await send(url, 'GET', '/users/me', long)).body.code).toBe('UNPARSABLE_ACCESS_TOKEN');
    const jwks = await send(url, 'GET', '/projects/internal/.well-known/jwks.json');
    expect(JSON.stringify(jwks.body)).not.toContain(leaked);
    const refreshToken = String(longSession.refresh_token);
    const { body } = await send(url, 'POST', '/auth/sessions/current/refresh', { refreshToken });
    expect(kidOf(body.access_token)).toBe(withdrawn.lines()[0].replaced_by);
    expect((await send(url, 'GET', '/users/me', { as: String(body.access_token) })).status).toBe(200);
  }

  // With only the new master key all users can sign in and their addresses are still reserved.
  for (const product of products.splice(0)) await product.stop();
  products.push(await startProduct({ ...common, GATEBOOK_DATA_DIR: first, GATEBOOK_MASTER_KEY: toText(newKey) }));
  const [{ url } = { url: '' }] = products;
  for (const email of ['long@traffic.example', ...traffic.emails.slice(0, 1)]) {
    expect((await send(url, 'POST', '/auth/password/sign-in', { body: { email, password } })).status).toBe(200);
    expect((await signUp(url, email)).status).toBe(409);
  }
});

test('the master key of the data folder can be rotated under traffic, and a restart decrypts all data', async () => {
  const [folder = ''] = folders;
  const env = { ...(await settings()), GATEBOOK_DATA_DIR: folder };
  const file = join(folder, 'master-key');
  products.push(await startProduct(env));
  const keyBefore = await readFile(file, 'utf8');
  const traffic = startTraffic([products[0]?.url ?? '']);
  const go = (count: number) => expect.poll(traffic.rounds).toBeGreaterThan(traffic.rounds() + count);
  await go(3);
  expect(await runLine('keys rotate master --settle 1', { env })).toMatchObject({ code: 0, errors: '' });
  await go(5);
  await traffic.stop();
  expect(traffic.faults).toEqual([]);
  const keyAfter = await readFile(file, 'utf8');
  expect(keyAfter).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
  expect(keyAfter).not.toBe(keyBefore);
  expect(await wrappers()).toEqual([masterKeyId(Buffer.from(keyAfter, 'base64'))]);
  await products.splice(0)[0]?.kill();
  const again = await startProduct(env);
  products.push(again);
  const [email = ''] = traffic.emails;
  expect((await send(again.url, 'POST', '/auth/password/sign-in', { body: { email, password } })).status).toBe(200);
});
