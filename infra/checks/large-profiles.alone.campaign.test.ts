import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sized } from '@gatebook/runtime/testing/campaign';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, expect, test } from 'vitest';
import { createApiClient } from '../testing/api-client.ts';
import { internalKeys, startProduct } from '../testing/product.ts';

const images = sized({ inTest: 20, inCampaign: 40 });
const rounds = 9;

const database = await testDatabase();
const folder = await mkdtemp(join(tmpdir(), 'gatebook-large-'));
const product = await startProduct({
  GATEBOOK_DATABASE_URL: database.url,
  GATEBOOK_DATA_DIR: folder,
  GATEBOOK_RATE_LIMITS: 'off',
  GATEBOOK_INTERNAL_SIGN_UP: 'open',
  GATEBOOK_LOG_LEVEL: 'warn',
});
const send = createApiClient(product.url, internalKeys);
afterAll(async () => {
  await product.stop();
  await database.close();
  await rm(folder, { recursive: true });
});

/** Resident memory of the process that answers, database not included. */
async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${product.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_000;
}

async function medianOf(act: () => Promise<{ status: number }>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    expect((await act()).status).toBe(200);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

const text = (length: number) => randomBytes(length / 2).toString('hex');

async function signUp(): Promise<string> {
  const body = {
    email: `${text(12)}@example.com`,
    password: text(20),
    verification_callback_url: 'http://localhost/v',
  };
  const { status, body: answer } = await send('POST', '/auth/password/sign-up', { body });
  expect(status).toBe(200);
  return answer.access_token;
}

const patch = (as: string, body: Record<string, unknown>) => send('PATCH', '/users/me', { as, body });
const rename = (as: string) => patch(as, { display_name: text(20) });
const setImage = (as: string) => patch(as, { profile_image_url: `data:image/png;base64,${text(999_000)}` });

test('many large images slow down neither their user nor others, and stay out of memory', {
  timeout: 600_000,
}, async () => {
  const [heavy, light, other] = [await signUp(), await signUp(), await signUp()];
  expect((await setImage(light)).status).toBe(200);
  await medianOf(() => rename(light));
  const before = await residentMegabytes();
  for (let index = 0; index < 8; index += 1) {
    expect((await patch(heavy, { client_metadata: { text: text(60_000) } })).status).toBe(200);
  }
  for (let index = 0; index < images; index += 1) expect((await setImage(heavy)).status).toBe(200);

  // The light user has one image, because a response contains it.
  const quiet = await medianOf(() => rename(light));
  const renaming = await medianOf(() => rename(heavy));
  const quietRead = await medianOf(() => send('GET', '/users/me', { as: other }));
  const racing = Promise.all(Array.from({ length: 5 }, () => rename(heavy)));
  const readDuring = await medianOf(() => send('GET', '/users/me', { as: other }));
  for (const { status } of await racing) expect(status).toBe(200);
  const grown = (await residentMegabytes()) - before;

  expect(renaming).toBeLessThan(3 * quiet);
  expect(readDuring).toBeLessThan(5 * quietRead + 50);
  expect(grown).toBeLessThan(300);
});
