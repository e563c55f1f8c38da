import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { countFault } from '@gatebook/runtime/testing/injected-faults';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../seed/population.ts';
import type { Part } from '../../testing/parts.ts';
import { internalKeys } from '../../testing/product.ts';
import { type Relay, startRelay } from '../../testing/relay.ts';
import { type Installation, prepareInstallation } from '../distributed/installation.ts';
import { asServer, send } from '../distributed/requests.ts';

/* The consumer of docs/events-out.md, while every process is killed at random, itself too. */

const roles = ['api', 'projector', 'worker', 'consumer'] as const;
const consumerPath = fileURLToPath(new URL('consumer.ts', import.meta.url));

let installation: Installation;
let shop: TestDatabase;
let relay: Relay;
const parts = new Map<Part['role'], Part>();
type Consumer = { kill(signal: NodeJS.Signals): Promise<void> };
let consumer: Consumer;

beforeAll(async () => {
  installation = await prepareInstallation(async () => ({ settings: {}, close: async () => undefined }));
  shop = await testDatabase();
  for (const role of ['projector', 'worker', 'api'] as const) parts.set(role, await installation.start(role));
  relay = await startRelay(() => partOf('api').url);
  consumer = startConsumer();
});
afterAll(async () => {
  await consumer?.kill('SIGKILL');
  await relay?.close();
  await installation?.close();
  await shop?.close();
});

function partOf(role: Part['role']): Part {
  const part = parts.get(role);
  if (!part) throw new Error(`no ${role} runs`);
  return part;
}

function startConsumer(): Consumer {
  const child = spawn(process.execPath, [consumerPath], {
    env: {
      DATABASE_URL: shop.url,
      GATEBOOK_SECRET_SERVER_KEY: internalKeys.server,
      GATEBOOK_PROJECT_ID: 'internal',
      GATEBOOK_API_URL: relay.url,
    },
    // It reports each failure that it waits for.
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  return {
    kill: async (signal) => {
      child.kill(signal);
      await exited;
    },
  };
}

async function killAndStart(role: (typeof roles)[number]): Promise<void> {
  countFault();
  if (role === 'consumer') {
    await consumer.kill('SIGKILL');
    consumer = startConsumer();
    return;
  }
  await installation.kill(partOf(role));
  parts.set(role, await installation.start(role));
}

/** A user who signs in, and changes or is deleted. What fails with its process is given up. */
async function write(n: number): Promise<void> {
  const api = partOf('api');
  const { status, body } = await send(api, 'POST', '/users', asServer({ body: { display_name: `User ${n}` } }));
  if (status !== 201) return;
  const signIn = () => send(api, 'POST', '/auth/sessions', asServer({ body: { user_id: body.id } }));
  await signIn();
  if (n % 3 === 0) await signIn();
  const path = `/users/${body.id}`;
  if (n % 4 === 0) await send(api, 'PATCH', path, asServer({ body: { display_name: `User ${n} renamed` } }));
  if (n % 5 === 0) await send(api, 'DELETE', path, asServer());
}

/** What the log says: who exists, and how often they signed in. */
async function customersInLog() {
  const { rows } = await installation.database.pool.query<{ user_id: string; sign_ins: number }>(
    `select data ->> 'userId' as user_id,
       count(*) filter (where type = 'SessionStarted' and not (data ->> 'isImpersonation')::boolean)::int as sign_ins
     from log.events where project_id = 'internal' and type in ('UserCreated', 'UserDeleted', 'SessionStarted')
     group by 1 having count(*) filter (where type = 'UserCreated') > 0 and count(*) filter (where type = 'UserDeleted') = 0
     order by 1`,
  );
  return rows;
}

async function customersOfConsumer() {
  const text = 'select user_id, name, sign_ins from customers order by user_id';
  const { rows } = await shop.pool.query<{ user_id: string; name: string; sign_ins: number }>(text);
  return rows;
}

const kills = sized({ inTest: 4, inCampaign: 60, accepted: 200 });
const writesPerKill = 6;

test(
  'check 2: the table of a consumer is a replay of the log after its processes and those of Gatebook were killed',
  async () => {
    const random = seededRandom(21);
    let n = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const role = kill < roles.length ? roles[kill] : roles[Math.floor(random() * roles.length)];
      const writing = Array.from({ length: writesPerKill }, () => {
        n += 1;
        return write(n).catch(() => undefined);
      });
      await Promise.all([...writing, killAndStart(role ?? 'api')]);
    }
    // Written while all processes run, so that the end does not depend on the last kill.
    await write(1);
    const inLog = await customersInLog();
    expect(inLog.length).toBeGreaterThan(kills);
    const counted = async () => (await customersOfConsumer()).map(({ user_id, sign_ins }) => ({ user_id, sign_ins }));
    await expect.poll(counted, { timeout: 120_000, interval: 500 }).toEqual(inLog);
    for (const { user_id, name } of (await customersOfConsumer()).slice(0, 50)) {
      const { body } = await send(partOf('api'), 'GET', `/users/${user_id}`, asServer());
      expect(name).toBe(body.display_name);
    }
    await consumer.kill('SIGTERM');
  },
  sized({ inTest: 900_000, inCampaign: 3_600_000 }),
);
