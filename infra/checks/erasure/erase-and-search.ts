import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { findRunningPostgres } from '@gatebook/gatebook/embedded/postgres';
import { smtpRejection, startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { expect } from 'vitest';
import { createApiClient } from '../../testing/api-client.ts';
import { makePassableFolder } from '../../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../../testing/product.ts';
import { hasCanary } from './canary.ts';
import { leaveTraces } from './leave-traces.ts';
import { readEvents, searchDatabase, searchDecrypted, searchFolder, searchRedis } from './search.ts';

const masterKey = Buffer.alloc(32, 9);

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
    const { id, ...project } = await leaveTraces(send, { mails: smtp.received, hookUrl: echo.url });
    await expect.poll(() => echo.received.some(hasCanary)).toBe(true);
    const url = (await findRunningPostgres(join(dataDir, 'postgres')))?.url('gatebook') ?? '';
    pool = createPool(url, { max: 2, name: 'erasure' });
    await pool.query('analyze');
    // Make sure that the search finds the canary before the erasure.
    expect((await searchDatabase(pool)).length).toBeGreaterThan(6);
    const decrypted = await searchDecrypted(url, masterKey);
    expect(decrypted.length).toBeGreaterThan(20);
    const eventsBefore = await readEvents(send, project);
    expect(eventsBefore.found.length).toBeGreaterThan(10);
    expect(decrypted.filter((text) => /"origin":\{[^}]*Zq7Canary/.test(text))).not.toEqual([]);

    const remove = () =>
      send('DELETE', `/users/${id}`, { ...project, access: 'server', headers: { 'idempotency-key': 'delete' } });
    expect((await remove()).status).toBe(200);
    const open = pool;
    await expect.poll(() => isErased(open)).toBe(true);
    expect((await remove()).status).toBe(200);
    // The events stay in their places.
    const eventsAfter = await readEvents(send, project);
    expect(eventsAfter.found).toEqual([]);
    expect(eventsAfter.ids.slice(0, eventsBefore.ids.length)).toEqual(eventsBefore.ids);
    // Pending emails notice that they no longer have a recipient.
    await pause(3_000);
    await expect.poll(() => searchDatabase(open), { interval: 1_000 }).toEqual([]);
    expect(await searchDecrypted(url, masterKey)).toEqual([]);
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
