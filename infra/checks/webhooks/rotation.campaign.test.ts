import { rm } from 'node:fs/promises';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient, type Send } from '../../testing/api-client.ts';
import { makePassableFolder } from '../../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../../testing/product.ts';
import { type Arrival, accept, startReceivers } from './receivers.ts';

const writers = 8;
const overlapMs = 6_000;

let folder: string;
let product: Product;
let send: Send;
let receivers: Awaited<ReturnType<typeof startReceivers>>;
beforeAll(async () => {
  folder = await makePassableFolder('gatebook-rotation-');
  receivers = await startReceivers({ '/hooks': accept });
  product = await startProduct({
    GATEBOOK_DATA_DIR: folder,
    GATEBOOK_PRIVATE_TARGETS: 'on',
    GATEBOOK_RATE_LIMITS: 'off',
  });
  send = createApiClient(product.url, internalKeys);
});
afterAll(async () => {
  await product?.stop();
  receivers?.close();
  await rm(folder, { recursive: true, force: true });
});

const admin = { access: 'admin' } as const;
const server = { access: 'server' } as const;

/** Whether receivers that know only this secret accept a request, with each library. */
function accepts({ headers, body }: Arrival, secret: string): boolean {
  const given = headers as Record<string, string>;
  const verified = [new StandardWebhook(secret), new SvixWebhook(secret)].map((webhook) => {
    try {
      webhook.verify(body, given);
      return true;
    } catch {
      return false;
    }
  });
  expect(new Set(verified).size).toBe(1);
  return verified.every(Boolean);
}

test('check 13: while messages are sent, receivers with either secret accept all of them until the overlap ends', async () => {
  const add = () => send('POST', '/webhooks/endpoints', { ...admin, body: { url: receivers.url('/hooks') } });
  // Read models of a new installation are ready a moment after its API.
  await expect.poll(async () => (await send('GET', '/webhooks/endpoints', admin)).status).toBe(200);
  const created = await add();
  expect(created.status, created.text).toBe(201);
  const { id, secret: first } = created.body;
  const rotate = async (overlap_in_millis: number) => {
    const answer = await send('POST', `/webhooks/endpoints/${id}/rotate-secret`, {
      ...admin,
      body: { overlap_in_millis },
    });
    expect(answer.status, answer.text).toBe(200);
    return { secret: String(answer.body.secret), endsAt: answer.body.previous_expires_at_millis, at: Date.now() };
  };
  let isStopping = false;
  let written = 0;
  const writing = Array.from({ length: writers }, async () => {
    for (; !isStopping; written += 1) {
      const { status, text } = await send('POST', '/users', { ...server, body: { display_name: 'Ann' } });
      expect(status, text).toBe(201);
    }
  });
  /** Further messages; these were signed after the call. */
  const more = async (count: number) => {
    const before = receivers.at('/hooks').length;
    await expect.poll(() => receivers.at('/hooks').length, { timeout: 60_000 }).toBeGreaterThan(before + count);
  };
  await more(100);
  const second = await rotate(overlapMs);
  await expect.poll(() => Date.now() > second.endsAt + 4_000, { timeout: 60_000 }).toBe(true);
  await more(100);
  const third = await rotate(0);
  await expect.poll(() => Date.now() > third.at + 1_000).toBe(true);
  await more(100);
  isStopping = true;
  await Promise.all(writing);
  await expect.poll(async () => receivers.at('/hooks').length, { timeout: 60_000 }).toBe(written);

  for (const secret of [first, second.secret, third.secret]) {
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
  }
  // The time of an attempt has whole seconds. What is signed in the second of a change can have either.
  const secondsOf = ({ headers }: Arrival) => Number(headers['webhook-timestamp']);
  const phases = { before: 0, overlap: 0, after: 0, last: 0 };
  for (const arrival of receivers.at('/hooks')) {
    const seconds = secondsOf(arrival);
    const isBefore = (millis: number) => seconds + 1 <= millis / 1_000;
    const isAfter = (millis: number) => seconds >= millis / 1_000;
    const found = [first, second.secret, third.secret].map((secret) => accepts(arrival, secret));
    const told = `${seconds} ${second.at} ${second.endsAt} ${third.at}`;
    if (isBefore(second.endsAt)) expect(found[0], `the first secret at ${told}`).toBe(true);
    if (isBefore(second.endsAt) && isAfter(second.at)) {
      expect(found, told).toEqual([true, true, false]);
      phases.overlap += 1;
    } else if (isAfter(second.endsAt) && isBefore(third.at - 1_000)) {
      expect(found, told).toEqual([false, true, false]);
      phases.after += 1;
    } else if (isAfter(third.at)) {
      expect(found, told).toEqual([false, false, true]);
      phases.last += 1;
    } else phases.before += 1;
  }
  for (const [phase, count] of Object.entries(phases)) expect(count, phase).toBeGreaterThan(50);
  const { counts } = (await send('GET', `/webhooks/endpoints/${id}`, admin)).body;
  expect(counts).toEqual({ delivered: written, failed: 0, pending: 0 });
}, 240_000);
