import { setTimeout as pause } from 'node:timers/promises';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { expect, test } from 'vitest';
import { createProject, expectKnown, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

/* The live stream and the feed of one project, while it is written to. */

const { api, send } = await startSuite();
const baseUrl = await api.app.listen({ port: 0, host: '127.0.0.1' });

type Shop = Awaited<ReturnType<typeof createProject>>;
type Item = { id: string; type: string; cursor: string; data: Record<string, unknown> };
const asServer = (shop: Shop) => ({ ...shop, access: 'server' as const });
const patch = (shop: Shop, userId: string, name: string) =>
  send('PATCH', `/users/${userId}`, { ...asServer(shop), body: { display_name: name } });

/** A connection to the stream of a project. `query`: begins with `?`. */
async function connect(shop: Shop, query: string, headers: Record<string, string> = {}) {
  const cut = new AbortController();
  const response = await fetch(`${baseUrl}/api/v1/events/stream${query}`, {
    signal: cut.signal,
    headers: {
      'x-stack-access-type': 'server',
      'x-stack-project-id': shop.projectId,
      'x-stack-secret-server-key': shop.keys.server,
      ...headers,
    },
  });
  return { response, cut: () => cut.abort(), events: eventsIn(response) };
}

/** Yields each block of the stream: the ID and, if it is an event, its data. */
async function* eventsIn(response: Response): AsyncGenerator<{ id: string | undefined; event: Item | null }> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
      );
      const data = fields.get('data');
      yield { id: fields.get('id'), event: data === undefined ? null : JSON.parse(data) };
    }
  }
}

/** Reads the whole feed from the beginning, with long polls, until `isOver` is true and nothing is left. */
async function follow(shop: Shop, isOver: () => boolean): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = ''; ; ) {
    const isLast = isOver();
    const { status, body } = await send('GET', `/events?limit=7&wait_in_millis=50${after}`, asServer(shop));
    expect(status).toBe(200);
    items.push(...body.items);
    after = `&after=${body.next_after}`;
    if (isLast && !body.has_more && body.items.length === 0) return items;
  }
}

test('check 1: every feed and stream tells each event once, in the order of the log', async () => {
  const shop = await createProject(send);
  const stream = await connect(shop, '');
  const streamed: Item[] = [];
  const streaming = (async () => {
    for await (const { event } of stream.events) if (event) streamed.push(event);
  })().catch(() => undefined);
  let isOver = false;
  const readers = [1, 2].map(() => follow(shop, () => isOver));
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let nth = 0; nth < 3; nth += 1) {
        const { userId } = await signUp(send, shop);
        for (const name of ['A', 'B']) await patch(shop, userId, name);
      }
    }),
  );
  isOver = true;
  const [first = [], second = []] = await Promise.all(readers);
  const ids = first.map(({ id }) => id);
  expect(second.map(({ id }) => id)).toEqual(ids);
  await expect.poll(() => streamed.length, { timeout: pollDeadlineMs }).toBe(ids.length);
  expect(streamed.map(({ id }) => id)).toEqual(ids);
  stream.cut();
  await streaming;
  expect(new Set(ids).size).toBe(ids.length);
  const count = (type: string) => first.filter((item) => item.type === type).length;
  expect([count('user.created'), count('user.updated'), count('session.created')]).toEqual([12, 24, 12]);
});

test('check 3: a rebuild tells the same, and cursors go on', async () => {
  const shop = await createProject(send);
  const { userId } = await signUp(send, shop);
  const middle = (await send('GET', '/events?limit=2', asServer(shop))).body.next_after;
  await patch(shop, userId, 'A');
  const before = await follow(shop, () => true);
  const { schema } = await api.deps.rebuilds.ask('events');
  const isReady = async () =>
    (await listProjectionVersions(api.pool, 'events')).some((version) => version.schema === schema && version.isReady);
  await expect.poll(isReady, { timeout: pollDeadlineMs }).toBe(true);
  await api.deps.rebuilds.promoteStandby(schema);
  await expect.poll(() => api.deps.readModels.schema('events'), { timeout: pollDeadlineMs }).toBe(schema);
  const withoutCursors = (items: Item[]) => items.map(({ cursor: _, ...item }) => item);
  expect(withoutCursors(await follow(shop, () => true))).toEqual(withoutCursors(before));
  const rest = await send('GET', `/events?after=${middle}`, asServer(shop));
  expect(withoutCursors(rest.body.items)).toEqual(withoutCursors(before.slice(2)));
});

test('check 4: the object that an event tells of is never older than the event', async () => {
  const shop = await createProject(send);
  const { userId } = await signUp(send, shop);
  const stream = await connect(shop, '?after=head&types=user.updated');
  const writing = (async () => {
    for (let nth = 0; nth < 10; nth += 1) await patch(shop, userId, String(nth));
  })();
  let seen = 0;
  for await (const { event } of stream.events) {
    if (!event) continue;
    const { body } = await send('GET', `/users/${userId}`, asServer(shop));
    expect(Number(body.display_name)).toBeGreaterThanOrEqual(Number(event.data.display_name));
    seen += 1;
    if (seen === 10) break;
  }
  await writing;
});

test('check 7: a reader that is cut off again and again misses nothing, and gets nothing twice', async () => {
  const shop = await createProject(send);
  let isOver = false;
  const writing = (async () => {
    for (let nth = 0; nth < 10; nth += 1) await signUp(send, shop);
  })().finally(() => {
    isOver = true;
  });
  const got: string[] = [];
  let last: string | undefined;
  /** Reads on from the last ID, until `cut` ends the connection or `count` events are read. */
  const readOn = async (count: number, cutAfterMs?: number) => {
    const stream = await connect(shop, '', last === undefined ? {} : { 'last-event-id': last });
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    if (cutAfterMs !== undefined) setTimeout(stream.cut, cutAfterMs);
    try {
      for await (const { id, event } of stream.events) {
        last = id ?? last;
        if (event) got.push(event.id);
        if (got.length >= count) break;
      }
    } catch {
      // Cut off.
    }
    stream.cut();
  };
  for (let round = 0; round <= 30 || !isOver; round += 1) await readOn(Number.POSITIVE_INFINITY, 5 + (round % 7) * 5);
  await writing;
  const all = (await follow(shop, () => true)).map(({ id }) => id);
  // A slow machine may have read little before each cut.
  await readOn(all.length);
  expect(got).toEqual(all);
});

test('check 9: a stream ends within a second after its key is revoked, or its owner signs out', async () => {
  const shop = await createProject(send);
  const kinds = { has_publishable_client_key: false, has_secret_server_key: true, has_super_secret_admin_key: false };
  const { body: key } = await send('POST', '/internal/api-keys', {
    ...{ ...shop, access: 'admin' },
    body: { description: 'k', expires_at_millis: Date.now() + 10 ** 9, ...kinds },
  });
  const endOf = async (headers: Record<string, string>) => {
    const stream = await connect(shop, '?after=head', headers);
    expect(stream.response.status).toBe(200);
    return { ended: (async () => void (await Array.fromAsync(stream.events)))(), cut: stream.cut };
  };
  const byKey = await endOf({ 'x-stack-secret-server-key': key.secret_server_key });
  const byOther = await endOf({});
  const byOwner = await endOf({
    'x-stack-access-type': 'admin',
    'x-stack-admin-access-token': shop.owner.accessToken,
  });
  await send('PATCH', `/internal/api-keys/${key.id}`, { ...shop, access: 'admin', body: { revoked: true } });
  let at = performance.now();
  await byKey.ended;
  expect(performance.now() - at).toBeLessThan(1_000);
  await send('DELETE', '/auth/sessions/current', { keys: api.keys, projectId: 'internal', as: shop.owner.accessToken });
  at = performance.now();
  await byOwner.ended;
  expect(performance.now() - at).toBeLessThan(1_000);
  const other = await Promise.race([byOther.ended.then(() => 'ended'), pause(100).then(() => 'open')]);
  expect(other).toBe('open');
  byOther.cut();
  await byOther.ended.catch(() => undefined);
});

test('check 9: a stream ends within a second after its project is deleted', async () => {
  const shop = await createProject(send);
  const stream = await connect(shop, '?after=head');
  const ended = (async () => {
    for await (const _ of stream.events);
    return performance.now();
  })();
  await pause(50);
  const deleted = await send('DELETE', '/internal/projects/current', { ...shop, access: 'admin' });
  expect(deleted.status).toBe(200);
  const at = performance.now();
  expect((await ended) - at).toBeLessThan(1_000);
});

test('check 9: a long poll ends within a second after its project is deleted', async () => {
  const shop = await createProject(send);
  const polled = send('GET', '/events?after=head&wait_in_millis=20000', asServer(shop));
  await pause(100);
  await send('DELETE', '/internal/projects/current', { ...shop, access: 'admin' });
  const at = performance.now();
  expect((await polled).status).toBe(401);
  expect(performance.now() - at).toBeLessThan(1_000);
});

test('check 6: a stream rejects a cursor like the feed', async () => {
  const shop = await createProject(send);
  const answer = await send('GET', '/events/stream?after=nonsense', asServer(shop));
  expectKnown(answer, 400, 'EVENT_CURSOR_INVALID', { reason: 'malformed' });
});
