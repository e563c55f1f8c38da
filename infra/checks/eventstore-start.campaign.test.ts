import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@gatebook/runtime/free-port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';
import { type SimulatorProcess, startSimulatorProcess } from '../testing/simulator-process.ts';

let folder: string;
let simulator: SimulatorProcess;
let port: number;
beforeAll(async () => {
  folder = await makePassableFolder('gatebook-eventstore-');
  port = await findFreePort();
  simulator = await startSimulator();
});
afterAll(async () => {
  await simulator.kill();
  await rm(folder, { recursive: true, force: true });
});

const startSimulator = () => startSimulatorProcess({ port, file: join(folder, 'log.jsonl') });
const start = (data: string, settings: Record<string, string> = { GATEBOOK_EVENTSTORE_URL: simulator.url }) =>
  startProduct({ GATEBOOK_DATA_DIR: join(folder, data), GATEBOOK_INTERNAL_SIGN_UP: 'open', ...settings });

function signUp({ url }: Product, email: string): Promise<Response> {
  return fetch(`${url}/api/v1/auth/password/sign-up`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': 'client',
      'x-stack-project-id': 'internal',
      'x-stack-publishable-client-key': internalKeys.client,
    },
    body: JSON.stringify({ email, password: 'correct horse', verification_callback_url: 'http://localhost' }),
  });
}

test('Gatebook with its log in EventStoreDB recovers when either of them is killed', async () => {
  const first = await start('data');
  expect((await signUp(first, 'ann@example.com')).status).toBe(200);
  await simulator.kill();
  const ready = await fetch(`${first.url}/health/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { log: 'failed', database: 'ok' }]);
  simulator = await startSimulator();
  expect((await signUp(first, 'bob@example.com')).status).toBe(200);
  await first.kill();

  const second = await start('data');
  await expect
    .poll(async () => (await fetch(`${second.url}/health/ready`)).json())
    .toMatchObject({ status: 'ok', lag: 0 });
  expect((await signUp(second, 'ann@example.com')).status).toBe(409);
  expect((await signUp(second, 'carol@example.com')).status).toBe(200);
  expect(await second.stop()).toBe(0);
});

test('a start with the log of another installation is an error', async () => {
  await expect(start('data', {})).rejects.toThrow('set GATEBOOK_EVENTSTORE_URL');
  const other = await start('other', {});
  expect(await other.stop()).toBe(0);
  await expect(start('other')).rejects.toThrow('unset GATEBOOK_EVENTSTORE_URL');
  const nowhere = { GATEBOOK_EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' };
  await expect(start('data', nowhere)).rejects.toThrow('Could not connect to the log at GATEBOOK_EVENTSTORE_URL');
});
