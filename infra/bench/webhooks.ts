import { createPool } from '@gatebook/runtime/postgres';
import { internalKeys } from '../testing/product.ts';
import type { Bench } from './bench.ts';
import { cpuMs, findPostmaster } from './cpu.ts';
import { startProcess } from './processes.ts';
import { type BenchProduct, startBenchProduct } from './product.ts';
import type { Result } from './report.ts';
import { percentile } from './statistics.ts';

const users = 2_000;
const writers = 16;
const endpoints = 10;
const timedUsers = 100;
const idleMs = 50;
const types = ['user.created'];

/**
 * Deliveries to a receiver in a process of its own: how many per second 10 endpoints accept together after an outage,
 * and the time from an acknowledged write to the request, alone and beside endpoints that hang.
 */
export async function benchWebhooks(databaseUrl: string, { scale }: Pick<Bench, 'scale'>): Promise<Result[]> {
  const file = new URL('webhook-receiver.ts', import.meta.url);
  const receiver = await startProcess(file, [], {}, (line) => line.startsWith('http'));
  const product = await startBenchProduct(databaseUrl, { GATEBOOK_PRIVATE_TARGETS: 'on' });
  const pool = createPool(databaseUrl, { max: 1, name: 'bench' });
  try {
    const hooks = connect(product, receiver.line);
    const postmaster = await findPostmaster(pool);
    const usedMs = async () => (await cpuMs(product.pid)) + (await cpuMs(postmaster));
    const { rate, cpu } = await measureRate(hooks, Math.ceil(users * scale), usedMs);
    const timed = await hooks.addEndpoints('/timed', 1);
    const alone = await measureTimes(hooks, Math.ceil(timedUsers * scale));
    const hanging = await hooks.addEndpoints('/hang', endpoints);
    const beside = await measureTimes(hooks, Math.ceil(timedUsers * scale));
    for (const id of [...timed, ...hanging]) await hooks.call('DELETE', `/webhooks/endpoints/${id}`, 'admin');
    const name = 'response → receiver has the event';
    const besideName = `${name}, beside ${endpoints} endpoints that hang`;
    return [
      { name: `deliveries to ${endpoints} endpoints`, gatebook: rate, unit: '/s', aim: { atLeast: 1_000 } },
      { name: 'CPU of a delivery, with that of Postgres', gatebook: cpu, unit: 'ms', aim: null },
      { name: `${name}, median`, gatebook: percentile(alone, 0.5), unit: 'ms', aim: null },
      { name: `${name}, 99th percentile`, gatebook: percentile(alone, 0.99), unit: 'ms', aim: { atMost: 1_000 } },
      { name: `${besideName}, median`, gatebook: percentile(beside, 0.5), unit: 'ms', aim: null },
      {
        name: `${besideName}, 99th percentile`,
        gatebook: percentile(beside, 0.99),
        unit: 'ms',
        aim: { atMost: 1_000 },
      },
    ];
  } finally {
    await pool.end();
    await product.stop();
    await receiver.stop();
  }
}

type Hooks = ReturnType<typeof connect>;
type Answer = Record<string, unknown>;

function connect({ url }: BenchProduct, receiverUrl: string) {
  async function call(method: string, path: string, access: 'server' | 'admin', body: object = {}): Promise<Answer> {
    const keyHeader = access === 'admin' ? 'x-stack-super-secret-admin-key' : 'x-stack-secret-server-key';
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        'x-stack-access-type': access,
        'x-stack-project-id': 'internal',
        [keyHeader]: internalKeys[access],
        'content-type': 'application/json',
      },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
  const addEndpoint = async (path: string, startAfter?: unknown): Promise<string> => {
    const body = { url: `${receiverUrl}${path}`, types, ...(startAfter !== undefined && { start_after: startAfter }) };
    return String((await call('POST', '/webhooks/endpoints', 'admin', body)).id);
  };
  return {
    call,
    addUser: async (): Promise<string> =>
      String((await call('POST', '/users', 'server', { display_name: 'Ann Example' })).id),
    addEndpoints: (path: string, count: number, startAfter?: unknown): Promise<string[]> =>
      Promise.all(Array.from({ length: count }, (_, nth) => addEndpoint(`${path}${nth}`, startAfter))),
    ask: async (path: string): Promise<{ count: number; last: number; at: number | null }> =>
      (await fetch(`${receiverUrl}${path}`)).json() as never,
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => performance.timeOrigin + performance.now();

/** All endpoints begin with the first of the users, who are there already. `cpu`: milliseconds per delivery. */
async function measureRate(
  { call, addUser, addEndpoints, ask }: Hooks,
  count: number,
  usedMs: () => Promise<number>,
): Promise<{ rate: number; cpu: number }> {
  const before = (await call('GET', '/events?after=head', 'server')).next_after;
  let left = count;
  const write = async () => {
    for (; left > 0; left -= 1) await addUser();
  };
  await Promise.all(Array.from({ length: writers }, write));
  const [began, usedBefore] = [now(), await usedMs()];
  const ids = await addEndpoints('/counted', endpoints, before);
  let arrived = await ask('/count');
  while (arrived.count < count * endpoints) {
    await pause(100);
    arrived = await ask('/count');
  }
  const cpu = ((await usedMs()) - usedBefore) / arrived.count;
  await Promise.all(ids.map((id) => call('DELETE', `/webhooks/endpoints/${id}`, 'admin')));
  return { rate: arrived.count / ((arrived.last - began) / 1_000), cpu };
}

/** One user after the other. @returns milliseconds */
async function measureTimes({ addUser, ask }: Hooks, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const id = await addUser();
    const answered = now();
    let at: number | null = null;
    while (at === null) {
      ({ at } = await ask(`/arrival?path=/timed0&id=${id}`));
      if (at === null) await pause(2);
    }
    // The request can arrive before the response.
    times.push(Math.max(0, at - answered));
    await pause(idleMs);
  }
  return times;
}
