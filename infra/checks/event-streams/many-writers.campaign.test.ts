import { sized } from '@gatebook/runtime/testing/campaign';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Part } from '../../testing/parts.ts';
import { internalKeys } from '../../testing/product.ts';
import { type Installation, prepareInstallation } from '../distributed/installation.ts';
import { asServer, send } from '../distributed/requests.ts';

/* Readers of two API processes, while many write through both. */

let installation: Installation;
let apis: readonly [Part, Part];
beforeAll(async () => {
  installation = await prepareInstallation(async () => ({ settings: {}, close: async () => undefined }));
  await installation.start('projector');
  await installation.start('worker');
  apis = await installation.startTwo('api');
});
afterAll(() => installation?.close());

type Item = { id: string; type: string; cursor: string; data: { id: string; display_name: string | null } };

async function createUser(api: Part, name: string): Promise<string> {
  const { status, body } = await send(api, 'POST', '/users', asServer({ body: { display_name: name } }));
  expect(status).toBe(201);
  return String(body.id);
}

async function rename(api: Part, userId: string, name: string): Promise<void> {
  const answer = await send(api, 'PATCH', `/users/${userId}`, asServer({ body: { display_name: name } }));
  expect(answer.status).toBe(200);
}

const headOf = async (api: Part) => String((await send(api, 'GET', '/events?after=head', asServer())).body.next_after);

/** `read`: until it has this many events. */
type Reader = { items: readonly Item[]; read(count: number): Promise<void> };

/** Polls the feed. */
function readFeed(api: Part, from: string): Reader {
  const items: Item[] = [];
  let after = from;
  const read = async (count: number) => {
    while (items.length < count) {
      const query = new URLSearchParams({ after, types: 'user.*', limit: '100', wait_in_millis: '1000' });
      const { status, body } = await send(api, 'GET', `/events?${query}`, asServer());
      expect(status).toBe(200);
      items.push(...(body.items as Item[]));
      after = String(body.next_after);
    }
  };
  return { items, read };
}

async function* eventsOf(api: Part, after: string, signal: AbortSignal): AsyncGenerator<Item> {
  const query = new URLSearchParams({ after, types: 'user.*' });
  const headers = {
    'x-stack-access-type': 'server',
    'x-stack-project-id': 'internal',
    'x-stack-secret-server-key': internalKeys.server,
  };
  const response = await fetch(`${api.url}/api/v1/events/stream?${query}`, { headers, signal });
  expect(response.status).toBe(200);
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of response.body ?? []) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

/** Follows the stream over one connection. */
function readStream(api: Part, after: string): Reader {
  const items: Item[] = [];
  const read = async (count: number) => {
    const over = new AbortController();
    for await (const item of eventsOf(api, after, over.signal)) {
      items.push(item);
      if (items.length === count) break;
    }
    over.abort();
  };
  return { items, read };
}

/** What the log says after a position: the user of each event, in its order. */
async function usersInLog(position: string) {
  const { rows } = await installation.database.pool.query<{ type: string; id: string }>(
    `select case type when 'UserCreated' then 'user.created' else 'user.updated' end as type, data ->> 'userId' as id
     from log.events where project_id = 'internal' and type in ('UserCreated', 'UserRenamed') and position > $1
     order by position`,
    [position],
  );
  return rows;
}

const writers = 16;
const commands = sized({ inTest: 10, inCampaign: 60, accepted: 5_000 });
/** A history of a user who is changed often. */
const perUser = 200;

test(
  'check 1: each of three feeds and three streams has every event once, in the order of the log',
  async () => {
    const [one, other] = apis;
    const { rows } = await installation.database.pool.query('select max(position)::text as head from log.events');
    const after = await headOf(one);
    const readers = [
      ...[readFeed(one, after), readFeed(one, after), readFeed(other, after)],
      ...[readStream(one, after), readStream(one, after), readStream(other, after)],
    ];
    const reading = readers.map((reader) => reader.read(writers * commands));
    const writing = Array.from({ length: writers }, async (_, nth) => {
      let userId = '';
      for (let n = 0; n < commands; n += 1) {
        const api = apis[(nth + n) % 2 ? 1 : 0];
        if (n % perUser === 0) userId = await createUser(api, `User ${nth}`);
        else await rename(api, userId, `User ${nth} ${n}`);
      }
    });
    await Promise.all([...writing, ...reading]);
    const inLog = await usersInLog(rows[0].head);
    expect(inLog.length).toBe(writers * commands);
    const [first] = readers;
    const ids = first?.items.map(({ id }) => id);
    expect(new Set(ids).size).toBe(inLog.length);
    expect(first?.items.map(({ type, data }) => ({ type, id: data.id }))).toEqual(inLog);
    for (const { items } of readers) expect(items.map(({ id }) => id)).toEqual(ids);
  },
  sized({ inTest: 900_000, inCampaign: 900_000, accepted: 3_600_000 }),
);

const seen = sized({ inTest: 50, inCampaign: 400, accepted: 10_000 });

test(
  'check 4: right after an event, another process shows its user as of then or later',
  async () => {
    const [one, other] = apis;
    const users = await Promise.all(Array.from({ length: Math.max(4, seen / 250) }, () => createUser(one, '0')));
    const after = await headOf(one);
    const over = new AbortController();
    const writing = users.map(async (userId) => {
      for (let n = 1; n <= seen / users.length; n += 1) await rename(one, userId, String(n));
    });
    let count = 0;
    const older: unknown[] = [];
    for await (const { data } of eventsOf(one, after, over.signal)) {
      const { body } = await send(other, 'GET', `/users/${data.id}`, asServer());
      if (Number(body.display_name) < Number(data.display_name)) older.push([data.display_name, body.display_name]);
      count += 1;
      if (count === seen) break;
    }
    over.abort();
    await Promise.all(writing);
    expect(older).toEqual([]);
  },
  sized({ inTest: 900_000, inCampaign: 900_000, accepted: 3_600_000 }),
);
