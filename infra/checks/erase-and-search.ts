import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import { findRunningPostgres } from '@gatebook/gatebook/embedded/postgres';
import { openLog } from '@gatebook/gatebook/open-log';
import { smtpRejection, startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { type Answer, createApiClient, type Send } from '../testing/api-client.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';

/** Part of all personal data in this test, and of nothing else. */
const canary = 'Zq7Canary';
const masterKey = Buffer.alloc(32, 9);
const password = 'correct horse battery';
const callback_url = 'http://localhost:3000/handler/callback';

/** The canary as text, in hexadecimal (as Postgres prints bytes), and in base64 at each alignment. */
const needles = [canary, canary.toLowerCase()].flatMap((text) => [
  text.toLowerCase(),
  Buffer.from(text).toString('hex'),
  ...[0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${text}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : shift + 1, -4)
      .toLowerCase(),
  ),
]);
const hasCanary = (text: string) => {
  const lower = text.toLowerCase();
  return needles.some((needle) => lower.includes(needle));
};

const ok = (answer: Answer): Answer => {
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
};

type Person = { id: string; projectKeys: { client: string; server: string; admin: string }; projectId: string };

/** Creates a user with personal data in every place that can have it. */
async function leaveTraces(
  send: Send,
  { mails, hookUrl }: { mails: { to: string[]; raw: string }[]; hookUrl: string },
): Promise<Person> {
  const owner = ok(
    await send('POST', '/auth/password/sign-up', {
      body: { email: 'owner@example.com', password, verification_callback_url: callback_url },
    }),
  ).body;
  const config = {
    magic_link_enabled: true,
    create_team_on_sign_up: true,
    client_user_deletion_enabled: true,
    allow_user_api_keys: true,
    client_team_creation_enabled: true,
    oauth_providers: [{ id: 'github', type: 'standard', client_id: 'id', client_secret: 'secret' }],
  };
  const made = await send('POST', '/internal/projects', {
    as: owner.access_token,
    body: { display_name: 'Shop', config },
  });
  const projectId = ok(made).body.id as string;
  const expires_at_millis = Date.parse('2099-01-01');
  const keySet = await send('POST', '/internal/api-keys', {
    projectId,
    access: 'admin',
    headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': owner.access_token },
    body: {
      description: 'all',
      expires_at_millis,
      has_publishable_client_key: true,
      has_secret_server_key: true,
      has_super_secret_admin_key: true,
    },
  });
  const { publishable_client_key: client, secret_server_key: server, super_secret_admin_key: admin } = ok(keySet).body;
  const project = { projectId, keys: { client, server, admin } };
  const [email, second] = [`${canary}@example.com`, `${canary}-second@example.com`];
  const userAgent = { 'user-agent': `Browser of ${canary}` };
  const onlyKey = (name: string) => ({ 'idempotency-key': `${canary}-${name.replaceAll(' ', '-')}` });
  const withKey = (name: string) => ({ ...userAgent, ...onlyKey(name) });

  ok(await send('POST', '/webhooks/endpoints', { ...project, access: 'admin', body: { url: hookUrl } }));

  // Emails before the user exists: invitations, rejected emails, a test email of an owner.
  const team = ok(await send('POST', '/teams', { ...project, access: 'server', body: { display_name: 'Crew' } })).body;
  const invite = (team_id: string, to: string, as?: string) =>
    send('POST', '/team-invitations/send-code', {
      ...project,
      access: as === undefined ? 'server' : 'client',
      body: { team_id, email: to, callback_url },
      ...(as === undefined ? { headers: onlyKey(`invite ${to}`) } : { as }),
    });
  for (const to of [email, second, `rejected-${email}`, `later-${email}`]) ok(await invite(team.id, to));
  const used = 'friend@example.com';
  await send('POST', '/internal/send-test-email', {
    ...project,
    access: 'admin',
    body: {
      recipient_email: email,
      email_config: {
        host: '127.0.0.1',
        port: 9,
        username: '',
        password: '',
        sender_name: 'Shop',
        sender_email: 'shop@example.com',
      },
    },
  });
  ok(await send('POST', '/auth/otp/send-sign-in-code', { ...project, body: { email: `code-${email}`, callback_url } }));

  const NewUser = {
    display_name: `Name ${canary}`,
    primary_email: email,
    primary_email_auth_enabled: true,
    password,
    client_metadata: { of: canary },
    client_read_only_metadata: [canary],
    server_metadata: canary,
    profile_image_url: `https://example.com/${canary}.png`,
    oauth_providers: [{ id: 'github', account_id: `account-${canary}`, email }],
  };
  const create = () =>
    send('POST', '/users', { ...project, access: 'server', body: NewUser, headers: onlyKey('create') });
  const { id } = ok(await create()).body as { id: string };
  expect((await create()).headers.get('idempotency-replayed')).toBe('true');
  // An error response that contains the address is stored too.
  const taken = { primary_email: email, primary_email_auth_enabled: true };
  expect(
    (await send('POST', '/users', { ...project, access: 'server', body: taken, headers: onlyKey('taken') })).status,
  ).toBe(409);

  const signIn = { ...project, body: { email, password }, headers: withKey('sign in') };
  const { access_token: as } = ok(await send('POST', '/auth/password/sign-in', signIn)).body;
  for (const wrong of [1, 2]) {
    await send('POST', '/auth/password/sign-in', {
      ...signIn,
      headers: userAgent,
      body: { email, password: `wrong ${wrong}` },
    });
  }
  const change = { display_name: `New name ${canary}`, client_metadata: { now: canary } };
  ok(await send('PATCH', '/users/me', { ...project, as, body: change, headers: withKey('change') }));
  const own = { ...project, as, headers: userAgent };
  const channel = { type: 'email', used_for_auth: false };
  ok(await send('POST', '/contact-channels', { ...own, body: { ...channel, user_id: 'me', value: second } }));
  for (const value of [`rejected-${email}`, `later-${email}`, `code-${email}`]) {
    const body = { ...channel, user_id: id, value, is_verified: true };
    ok(await send('POST', '/contact-channels', { ...project, access: 'server', body }));
  }
  const channels = ok(await send('GET', '/contact-channels?user_id=me', own)).body.items as { id: string }[];
  for (const channel of channels) {
    await send('POST', `/contact-channels/me/${channel.id}/send-verification-code`, { ...own, body: { callback_url } });
  }
  ok(await send('POST', '/auth/password/send-reset-code', { ...project, body: { email, callback_url } }));
  ok(
    await send('POST', '/user-api-keys', {
      ...own,
      body: { user_id: 'me', description: `Key of ${canary}`, expires_at_millis: null },
    }),
  );
  const [own_team] = ok(await send('GET', '/teams?user_id=me', own)).body.items as {
    id: string;
    display_name: string;
  }[];
  expect(own_team?.display_name).toContain(canary);
  ok(await invite(own_team?.id ?? '', used, as));
  ok(await send('POST', `/team-memberships/${team.id}/${id}`, { ...project, access: 'server', body: {} }));
  ok(await send('PATCH', `/team-member-profiles/${team.id}/me`, { ...own, body: { display_name: `Nick ${canary}` } }));
  ok(
    await send('POST', '/auth/sessions', {
      ...project,
      access: 'server',
      body: { user_id: id },
      headers: onlyKey('session'),
    }),
  );
  expect(ok(await send('GET', '/users/me/export', own)).text).toContain(canary);
  await send('POST', '/auth/password/sign-up', {
    ...project,
    body: { email, password, verification_callback_url: callback_url },
    headers: withKey('sign up'),
  });
  await expect.poll(() => mails.filter(({ to }) => to.some(hasCanary)).length).toBeGreaterThan(5);
  await expect.poll(() => mails.some(({ to }) => to.includes(used))).toBe(true);
  return { id, projectId, projectKeys: project.keys };
}

/** Finds the canary in all tables of all schemas, including the planner's statistics. */
async function searchDatabase(pool: Pool): Promise<string[]> {
  const { rows: tables } = await pool.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'm') and n.nspname <> 'information_schema' and n.nspname not like 'pg_toast%' order by 1, 2`,
  );
  const found: string[] = [];
  for (const { schema, name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select t::text as row from "${schema}"."${name}" t where t::text ilike any ($1) limit 3`,
      [needles.map((needle) => `%${needle}%`)],
    );
    if (rows.length > 0) found.push(`${schema}.${name}: ${rows[0]?.row.slice(0, 300)}`);
  }
  return found;
}

/** Finds the canary in what the master key decrypts: events and idempotency records. */
async function searchDecrypted(databaseUrl: string): Promise<string[]> {
  const logger = createLogger({ level: 'silent' });
  const shutdown = createShutdown(logger);
  try {
    const { store, keyring, keys, pool } = await openLog({ databaseUrl, masterKey, logger, shutdown });
    const found: string[] = [];
    for (const { type, data, metadata } of await store.readAll(0n, 10_000)) {
      const text = JSON.stringify({ data, metadata });
      if (hasCanary(text)) found.push(`${type}: ${text}`);
    }
    const encrypt = createResponseCipher(keys.installationKey, keyring);
    const { rows } = await pool.query<{ id: string; answer: string; subjects: string[] }>(
      'select id, answer, subjects from requests.answers where answer is not null',
    );
    for (const { id, ...encrypted } of rows) {
      const answer = await encrypt.open(id, encrypted);
      if (answer !== null && hasCanary(answer)) found.push(`answer: ${answer.slice(0, 300)}`);
    }
    return found;
  } finally {
    await shutdown.run();
  }
}

/** A receiver that rejects each message and repeats it, so that Gatebook stores it as the answer. */
async function startEcho(): Promise<{ url: string; received: string[]; close(): Promise<void> }> {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push(body);
    response.writeHead(500).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received, close };
}

/** Events of the project and all that its webhooks still have of them. */
async function readEvents(send: Send, { projectId, projectKeys: keys }: Person) {
  const admin = { projectId, keys, access: 'admin' } as const;
  const events = ok(await send('GET', '/events?limit=1000', admin));
  const [endpoint] = ok(await send('GET', '/webhooks/endpoints', admin)).body.items as { id: string }[];
  const path = `/webhooks/endpoints/${endpoint?.id}/deliveries`;
  const deliveries = ok(await send('GET', `${path}?limit=100`, admin)).body.items as { id: string }[];
  const texts: string[] = [];
  for (const { id } of deliveries) texts.push(ok(await send('GET', `/webhooks/deliveries/${id}`, admin)).text);
  const items = events.body.items as { id: string; type: string }[];
  const all = [...items.map((item) => JSON.stringify(item)), ...texts];
  return { ids: items.map(({ id }) => id), found: all.filter(hasCanary) };
}

/** Finds the canary in all keys of Redis. */
async function searchRedis(url: string): Promise<string[]> {
  const redis = new Redis(url);
  try {
    const found: string[] = [];
    for (const key of await redis.keys('*')) {
      const read: Record<string, () => Promise<unknown>> = {
        string: () => redis.get(key),
        hash: () => redis.hgetall(key),
        list: () => redis.lrange(key, 0, -1),
        set: () => redis.smembers(key),
        zset: () => redis.zrange(key, '0', '-1'),
        stream: () => redis.xrange(key, '-', '+'),
      };
      const value = JSON.stringify([key, await read[await redis.type(key)]?.()]);
      if (hasCanary(value)) found.push(value.slice(0, 300));
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

/**
 * Finds the canary in the files of the data folder, except for `pg_wal`: data stays in the write-ahead log until
 * Postgres reuses the file (docs/decisions/0028).
 */
async function searchFolder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || file.includes('/pg_wal/')) continue;
    const bytes = await readFile(file).catch(() => null);
    if (bytes && hasCanary(bytes.toString('latin1'))) found.push(relative(folder, file));
  }
  return found;
}

const isErased = async (pool: Pool) =>
  (await pool.query("select from log.events where type = 'UserErased'")).rowCount === 1;

/** Erases a user, then expects no trace of them in database, data folder, queue and logs. */
export async function eraseAndSearch(settings: Record<string, string>, redisUrl: string | null): Promise<void> {
  const folder = await makePassableFolder('gatebook-erasure-');
  const dataDir = join(folder, 'data');
  const smtp = await startSmtpServer({
    onRcptTo: ({ address }, _session, done) => {
      if (address.startsWith('rejected')) return done(smtpRejection(550, `there is no ${address}`));
      if (address.startsWith('later')) return done(smtpRejection(450, `${address} is busy`));
      done();
    },
  });
  const echo = await startEcho();
  let product: Product | undefined;
  let pool: Pool | undefined;
  try {
    product = await startProduct({
      GATEBOOK_DATA_DIR: dataDir,
      GATEBOOK_INTERNAL_SIGN_UP: 'open',
      GATEBOOK_SMTP_URL: smtp.url,
      GATEBOOK_MASTER_KEY: masterKey.toString('base64'),
      GATEBOOK_LOG_LEVEL: 'trace',
      GATEBOOK_PRIVATE_TARGETS: 'on',
      ...settings,
    });
    const output: string[] = [...product.printed];
    for (const stream of [product.child.stdout, product.child.stderr])
      stream?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    const send = createApiClient(product.url, internalKeys);
    const person = await leaveTraces(send, { mails: smtp.received, hookUrl: echo.url });
    const { id, projectId, projectKeys } = person;
    await expect.poll(() => echo.received.some(hasCanary)).toBe(true);
    const url = (await findRunningPostgres(join(dataDir, 'postgres')))?.url('gatebook') ?? '';
    pool = createPool(url, { max: 2, name: 'erasure' });
    await pool.query('analyze');
    // Make sure that the search finds the canary before the erasure.
    expect((await searchDatabase(pool)).length).toBeGreaterThan(6);
    const decrypted = await searchDecrypted(url);
    expect(decrypted.length).toBeGreaterThan(20);
    const eventsBefore = await readEvents(send, person);
    expect(eventsBefore.found.length).toBeGreaterThan(10);
    expect(decrypted.filter((text) => /"origin":\{[^}]*Zq7Canary/.test(text))).not.toEqual([]);

    const project = { projectId, keys: projectKeys };
    const remove = () =>
      send('DELETE', `/users/${id}`, { ...project, access: 'server', headers: { 'idempotency-key': 'delete' } });
    expect((await remove()).status).toBe(200);
    const open = pool;
    await expect.poll(() => isErased(open)).toBe(true);
    expect((await remove()).status).toBe(200);
    // The events stay in their places.
    const eventsAfter = await readEvents(send, person);
    expect(eventsAfter.found).toEqual([]);
    expect(eventsAfter.ids.slice(0, eventsBefore.ids.length)).toEqual(eventsBefore.ids);
    // Pending emails notice that they no longer have a recipient.
    await pause(3_000);
    await expect.poll(() => searchDatabase(open), { interval: 1_000 }).toEqual([]);
    expect(await searchDecrypted(url)).toEqual([]);
    if (redisUrl !== null) expect(await searchRedis(redisUrl)).toEqual([]);
    expect(output.filter(hasCanary).map((line) => line.slice(0, 1_000))).toEqual([]);
    // Frees the space of deleted rows, so that the files only have readable data.
    await pool.query('vacuum (full)');
    await pool.query('checkpoint');
    expect(await searchFolder(dataDir)).toEqual([]);
  } finally {
    await pool?.end();
    await product?.stop();
    await smtp.close();
    await echo.close();
    await rm(folder, { recursive: true, force: true });
  }
}
