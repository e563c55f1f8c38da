import { randomBytes } from 'node:crypto';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { readConfig } from '@gatebook/runtime/config';
import { findFreePort } from '@gatebook/runtime/free-port';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGatebook } from './compose.ts';

const internalKeys = {
  publishableClientKey: 'pck_test000000000000000000000000000000000000000000',
  secretServerKey: 'ssk_test000000000000000000000000000000000000000000',
  superSecretAdminKey: 'sak_test000000000000000000000000000000000000000000',
};
const masterKey = randomBytes(32);
const email = 'ann@example.com';
const password = 'correct horse battery staple';
const times = 20;

/** Statements of the whole process, by their name and text. */
let statements: string[] = [];
const query: unknown = pg.Client.prototype.query;
const shutdown = createShutdown(logger);
let database: TestDatabase;
let url: string;
beforeAll(async () => {
  function counted(this: pg.Client, ...args: unknown[]): unknown {
    const [config] = args as [string | { name?: string; text?: string }];
    statements.push(typeof config === 'string' ? config : `${config.name} ${config.text}`);
    return Reflect.apply(query as () => unknown, this, args);
  }
  Object.assign(pg.Client.prototype, { query: counted });
  database = await testDatabase();
  const port = await findFreePort();
  url = `http://localhost:${port}/api/v1`;
  const config = readConfig({
    GATEBOOK_PORT: String(port),
    GATEBOOK_DATABASE_URL: database.url,
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_INTERNAL_SIGN_UP: 'open',
  });
  await startGatebook('all', {
    config,
    databaseUrl: database.url,
    isEmbedded: false,
    masterKey: async () => [masterKey],
    internalKeys,
    logger,
    shutdown,
    onProgress: () => undefined,
    inbox: null,
  });
});
afterAll(async () => {
  await shutdown.run();
  Object.assign(pg.Client.prototype, { query });
  await database?.close();
});

type Tokens = { access_token: string };
async function send<T>(method: string, path: string, body: object, token?: string): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': 'client',
      'x-stack-project-id': 'internal',
      'x-stack-publishable-client-key': internalKeys.publishableClientKey,
      ...(token === undefined ? {} : { 'x-stack-access-token': token }),
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as T;
}
const signIn = () => send<Tokens>('POST', '/auth/password/sign-in', { email, password });

/** What `write` costs, beside what the process does in this time anyway. */
async function costOf(write: (n: number) => Promise<unknown>) {
  statements = [];
  const start = performance.now();
  for (let n = 1; n <= times; n += 1) await write(n);
  // Reactors and metrics come later.
  await new Promise((resume) => setTimeout(resume, 1_000));
  const seconds = Math.ceil((performance.now() - start) / 1_000);
  const count = (pattern: RegExp) => statements.filter((text) => pattern.test(text)).length;
  return {
    /** To read a stream, or to find out whether it has changed. */
    streamReads: count(/^log-(read-stream|revisions)/) / times,
    /** At most: the poll of the log. */
    otherReads: { found: count(/^log-(follow|read-all|read-projects)/), most: 2 + seconds },
    /** At most: one of `main` for each write, and one of metrics now and then. */
    projections: { found: count(/^project-move-checkpoint/), most: times + 2 + seconds },
    /** At most: each of four reactors every five seconds. */
    checkpoints: { found: count(/update readmodel\.subscriptions/), most: 4 + seconds },
  };
}

test('a sign-in and a rename read no event again, and are projected once', { timeout: 120_000 }, async () => {
  await send('POST', '/auth/password/sign-up', {
    email,
    password,
    verification_callback_url: `${url}/handler/email-verification`,
  });
  const { access_token: token } = await signIn();
  const costs = [
    { most: 2, cost: await costOf(signIn) },
    {
      most: 0,
      cost: await costOf((n) => send('PATCH', '/users/me', { display_name: `Ann ${n}` }, token)),
    },
  ];
  for (const { most, cost } of costs) {
    const { streamReads, otherReads, projections, checkpoints } = cost;
    expect(streamReads).toBeLessThanOrEqual(most);
    for (const { found, most } of [otherReads, projections, checkpoints]) expect(found).toBeLessThanOrEqual(most);
    expect(projections.found).toBeGreaterThanOrEqual(1);
  }
});
