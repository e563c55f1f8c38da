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
import { type Nginx, noNginx, startNginx } from '../../testing/nginx.ts';
import { type Relay, startRelay } from '../../testing/relay.ts';

/* Readers of the stream that know nothing of Gatebook, while their connections are cut. */

let api: TestApi;
let url: string;
let nginx: Nginx | null = null;
beforeAll(async () => {
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  api = await startTestApi({ publicUrl: url, port });
  await api.app.listen({ port, host: '127.0.0.1' });
  if (noNginx === null) nginx = await startNginx(url);
});
afterAll(async () => {
  await nginx?.close();
  await api?.close();
});

const headersOf = ({ projectId, keys }: OwnedProject) => ({
  'x-stack-access-type': 'server',
  'x-stack-project-id': projectId,
  'x-stack-secret-server-key': keys.server,
});
type Headers = ReturnType<typeof headersOf>;
const streamOf = (server: string) => `${server}/api/v1/events/stream?types=team.created`;

/** IDs of the events that arrived, in their order. */
type Reader = { ids: readonly string[]; close(): Promise<void> };

/** The package `eventsource`, which connects again by itself. */
function readByEventSource(streamUrl: string, own: Headers): Reader {
  const ids: string[] = [];
  const source = new EventSource(streamUrl, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...own } }),
  });
  source.addEventListener('message', ({ data }) => ids.push(JSON.parse(data).id));
  return { ids, close: async () => source.close() };
}

/** curl, started again with the last ID that arrived whole. */
function readByCurl(streamUrl: string, own: Headers): Reader {
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
      const all = { ...own, ...(last && { 'last-event-id': last }) };
      const options = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
      const curl = spawn('curl', ['-sN', ...options, streamUrl], { stdio: ['ignore', 'pipe', 'ignore'] });
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

const skipped = noNginx === null ? '' : ` (skipped: ${noNginx})`;
const readers = [
  { name: 'the package eventsource', read: readByEventSource, inCampaign: 60, isBehindNginx: false },
  { name: 'curl', read: readByCurl, inCampaign: 60, isBehindNginx: false },
  {
    ...{ name: `the package eventsource behind nginx${skipped}`, read: readByEventSource },
    ...{ inCampaign: 20, isBehindNginx: true },
  },
];
const missesNothing = 'misses nothing and gets nothing twice, whenever its connection is cut';

// They wait most of the time.
test.concurrent.for(readers)(
  `check 7: $name ${missesNothing}`,
  { timeout: sized({ inTest: 900_000, inCampaign: 3_600_000 }) },
  async ({ read, inCampaign, isBehindNginx }, { skip, expect }) => {
    if (isBehindNginx && nginx === null) skip();
    const cuts = sized({ inTest: 8, inCampaign, accepted: 500 });
    const send = senderOf(api);
    const project = await createProject(send);
    const call = { ...project, access: 'server' as const };
    const target = isBehindNginx && nginx ? nginx.url : url;
    const relay: Relay = await startRelay(() => target);
    const reader = read(streamOf(relay.url), headersOf(project));
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
      await relay.close();
      await reader.close();
    }
  },
);

test.skipIf(noNginx !== null)(
  `check 7: behind nginx with its defaults, the first byte and each event come within a second${skipped}`,
  async () => {
    const send = senderOf(api);
    const project = await createProject(send);
    const stop = new AbortController();
    let at = performance.now();
    const response = await fetch(`${streamOf(nginx?.url ?? '')}&after=head`, {
      headers: headersOf(project),
      signal: stop.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const readUntil = async (part: string) => {
      for (let text = ''; !text.includes(part); text += (await reader?.read())?.value ?? '');
      return performance.now() - at;
    };
    expect(await readUntil('retry:')).toBeLessThan(1_000);
    for (let nth = 0; nth < 5; nth += 1) {
      const name = `Team behind nginx ${nth}`;
      await send('POST', '/teams', { ...project, access: 'server', body: { display_name: name } });
      at = performance.now();
      expect(await readUntil(name)).toBeLessThan(1_000);
    }
    stop.abort();
  },
);
