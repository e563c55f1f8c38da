import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startTestApi, type TestApi } from '@gatebook/api/testing/api';
import { createProject, type OwnedProject, senderOf } from '@gatebook/api/testing/requests';
import { findFreePort } from '@gatebook/runtime/free-port';
import { sized } from '@gatebook/runtime/testing/campaign';
import { countFault } from '@gatebook/runtime/testing/injected-faults';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../seed/population.ts';
import { type Relay, startRelay } from '../../testing/relay.ts';

/* Readers of the stream that know nothing of Gatebook, while their connections are cut. */

let api: TestApi;
let relay: Relay;
let project: OwnedProject;
beforeAll(async () => {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  api = await startTestApi({ publicUrl: url, port });
  await api.app.listen({ port, host: '127.0.0.1' });
  project = await createProject(senderOf(api));
  relay = await startRelay(() => url);
});
afterAll(async () => {
  await relay?.close();
  await api?.close();
});

const headers = () => ({
  'x-stack-access-type': 'server',
  'x-stack-project-id': project.projectId,
  'x-stack-secret-server-key': project.keys.server,
});
const streamUrl = () => `${relay.url}/api/v1/events/stream?types=team.created`;

/** IDs of the events that arrived, in their order. */
type Reader = { ids: readonly string[]; close(): Promise<void> };

/** The package `eventsource`, which connects again by itself. */
function readByEventSource(): Reader {
  const ids: string[] = [];
  const source = new EventSource(streamUrl(), {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headers() } }),
  });
  source.addEventListener('message', ({ data }) => ids.push(JSON.parse(data).id));
  return { ids, close: async () => source.close() };
}

/** curl, started again with the last ID that arrived whole. */
function readByCurl(): Reader {
  const ids: string[] = [];
  let last = '';
  let isOver = false;
  let child: ReturnType<typeof spawn> | null = null;
  const takeBlock = (block: string) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const data = field('data');
    if (data !== undefined) ids.push(JSON.parse(data).id);
    last = field('id') ?? last;
  };
  const run = async () => {
    while (!isOver) {
      const all = { ...headers(), ...(last && { 'last-event-id': last }) };
      const options = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
      const curl = spawn('curl', ['-sN', ...options, streamUrl()], { stdio: ['ignore', 'pipe', 'ignore'] });
      child = curl;
      const exited = once(curl, 'exit');
      let rest = '';
      for await (const chunk of curl.stdout) {
        const blocks = (rest + String(chunk)).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) takeBlock(block);
      }
      await exited;
    }
  };
  const running = run();
  const close = async () => {
    isOver = true;
    child?.kill();
    await running;
  };
  return { ids, close };
}

/** Of each reader. */
const cuts = sized({ inTest: 8, inCampaign: 60, accepted: 500 });

test.each([
  ['the package eventsource', readByEventSource],
  ['curl', readByCurl],
])(
  'check 7: %s misses nothing and gets nothing twice, whenever its connection is cut',
  async (_, read) => {
    const send = senderOf(api);
    const call = { ...project, access: 'server' as const };
    const reader = read();
    const random = seededRandom(7);
    let written = 0;
    try {
      for (let cut = 0; cut < cuts; cut += 1) {
        await expect.poll(relay.connections, { timeout: 60_000, interval: 10 }).toBeGreaterThan(0);
        const count = 1 + Math.floor(random() * 4);
        const writing = Array.from({ length: count }, () => {
          written += 1;
          return send('POST', '/teams', { ...call, body: { display_name: `Team ${written}` } });
        });
        await Promise.race(writing);
        relay.cut();
        countFault();
        await Promise.all(writing);
      }
      const expected: string[] = [];
      for (let after = ''; ; ) {
        const { body } = await send('GET', `/events?types=team.created&limit=1000${after}`, call);
        expected.push(...body.items.map(({ id }: { id: string }) => id));
        if (!body.has_more) break;
        after = `&after=${body.next_after}`;
      }
      await expect.poll(() => reader.ids.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(expected.length);
      expect(reader.ids).toEqual(expected);
    } finally {
      await reader.close();
    }
  },
  sized({ inTest: 900_000, inCampaign: 3_600_000 }),
);
