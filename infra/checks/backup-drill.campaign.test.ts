import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRunningPostgres } from '@gatebook/gatebook/embedded/postgres';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApiClient, type Send } from '../testing/api-client.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';

const writers = 16;
const password = 'correct horse battery';
const masterKey = Buffer.alloc(32, 7).toString('base64');
const main = fileURLToPath(new URL('../../services/gatebook/src/cli/main.ts', import.meta.url));

let folder: string;
const products: Product[] = [];
beforeEach(async () => {
  folder = await makePassableFolder('gatebook-drill-');
});
afterEach(async () => {
  for (const product of products.splice(0)) await product.stop();
  await rm(folder, { recursive: true, force: true });
});

const settingsOf = (name: string) => ({
  GATEBOOK_DATA_DIR: join(folder, name),
  GATEBOOK_MASTER_KEY: masterKey,
  GATEBOOK_INTERNAL_SIGN_UP: 'open',
  GATEBOOK_RATE_LIMITS: 'off',
});

async function startAt(name: string): Promise<{ product: Product; send: Send }> {
  const product = await startProduct(settingsOf(name));
  products.push(product);
  return { product, send: createApiClient(product.url, internalKeys) };
}

/** Runs a command on the data folder `name`, as an operator does. */
async function run(name: string, line: string): Promise<string> {
  const child = spawn(process.execPath, [main, ...line.split(' ')], {
    env: { PATH: process.env.PATH, HOME: folder, ...settingsOf(name) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = await once(child, 'close');
  expect(code, `${line}: ${output}`).toBe(0);
  return output;
}

async function withLog<T>(name: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const running = await findRunningPostgres(join(folder, name, 'postgres'));
  const pool = createPool(running?.url('gatebook') ?? '', { max: 1, name: 'drill' });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

const signUp = (send: Send, email: string) =>
  send('POST', '/auth/password/sign-up', {
    body: { email, password, verification_callback_url: 'http://localhost:3000/handler' },
  });
const signIn = (send: Send, email: string) => send('POST', '/auth/password/sign-in', { body: { email, password } });

test('a backup under load, restored elsewhere with a list of erasures, has every event and no erased person', async () => {
  const { send } = await startAt('first');
  const gone = await signUp(send, 'gone@example.com');
  expect(gone.status).toBe(200);
  expect((await signUp(send, 'stays@example.com')).status).toBe(200);
  let isStopping = false;
  let signUps = 0;
  const writing = Array.from({ length: writers }, async (_, writer) => {
    for (let number = 0; !isStopping; number += 1) {
      const { status, text } = await signUp(send, `w${writer}-${number}@example.com`);
      expect(status, text).toBe(200);
      signUps += 1;
    }
  });
  await expect.poll(() => signUps).toBeGreaterThan(3 * writers);
  const file = join(folder, 'drill.backup');
  const list = join(folder, 'drill.erasures');
  const { head } = JSON.parse(await run('first', `backup ${file} --json`));
  const removed = await send('DELETE', `/users/${gone.body.user_id}`, { access: 'server' });
  expect(removed.status).toBe(200);
  await signUp(send, 'after-the-backup@example.com');
  isStopping = true;
  await Promise.all(writing);
  await run('first', `erasures export ${list}`);

  const eventsUpTo = (name: string) =>
    withLog(name, async (pool) => {
      const { rows } = await pool.query<{ line: string }>(
        'select events::text as line from log.events where position <= $1 order by position',
        [head],
      );
      return rows.map(({ line }) => line);
    });
  const original = await eventsUpTo('first');
  expect(original.length).toBe(Number(head));
  const later = await withLog('first', async (pool) => (await pool.query('select from log.events')).rowCount);
  expect(later).toBeGreaterThan(Number(head));

  expect(await run('first', `backup verify ${file}`)).toContain('is complete');
  expect(await run('second', `restore ${file} --erasures ${list}`)).toContain('every row was verified');
  const { send: sendSecond } = await startAt('second');
  expect(await eventsUpTo('second')).toEqual(original);
  await withLog('second', async (pool) => {
    const { rows: gaps } = await pool.query('select count(*) as count, max(position) as head from log.events');
    expect(gaps[0].count).toBe(gaps[0].head);
    const { rows: keys } = await pool.query('select wrapped from keys.subjects where subject_id = $1', [
      gone.body.user_id,
    ]);
    expect(keys).toEqual([{ wrapped: null }]);
    const { rows: epochs } = await pool.query('select after_position from log.epochs order by number desc limit 1');
    expect(epochs).toEqual([{ after_position: head }]);
  });
  expect((await send('GET', `/users/${gone.body.user_id}`, { access: 'server' })).status).toBe(404);
  expect((await sendSecond('GET', `/users/${gone.body.user_id}`, { access: 'server' })).status).toBe(404);
  expect((await signIn(sendSecond, 'gone@example.com')).status).toBe(400);
  expect((await signIn(sendSecond, 'stays@example.com')).status).toBe(200);
  // The erased address is free, and what came after the backup is not there.
  expect((await signUp(sendSecond, 'gone@example.com')).status).toBe(200);
  expect((await signUp(sendSecond, 'after-the-backup@example.com')).status).toBe(200);
  // Fails when a row differs.
  await run('second', 'projections verify');
});
