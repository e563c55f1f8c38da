import { expect, test } from 'vitest';
import { AnswerError, KnownError } from './errors.ts';
import { followLive, type LiveItem, openThrough } from './live.ts';
import type { Send } from './transport.ts';

/** Each text is one connection, sent in pieces of `size` bytes. */
function connections(texts: readonly string[], size = 7) {
  const cursors: string[] = [];
  const open = async (cursor: string) => {
    const bytes = new TextEncoder().encode(texts[cursors.length] ?? '');
    cursors.push(cursor);
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
  };
  return { open, cursors };
}

async function take<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) if (taken.push(item) === count) break;
  return taken;
}

test('items arrive in any pieces, with their cursors', async () => {
  const text = 'retry: 2000\n\n: hb\nid: a\n\nid: b\ndata: {"name":"Zoë"}\n\nid: c\r\ndata: [1,\r\ndata: 2]\r\n\r\n';
  for (const size of [1, 2, 5, 1_000]) {
    expect(await take(followLive(connections([text], size).open), 2)).toEqual([
      { cursor: 'b', data: { name: 'Zoë' } },
      { cursor: 'c', data: [1, 2] },
    ]);
  }
});

test('the next connection begins after the last cursor, also of a heartbeat, and drops what was cut off', async () => {
  const texts = ['id: a\ndata: 1\n\nid: b\ndata: 2', 'id: b\ndata: 2\n\n: hb\nid: d\n\n', 'id: e\ndata: 3\n\n'];
  const { open, cursors } = connections(texts);
  const states: boolean[] = [];
  const items: LiveItem<number>[] = await take(
    followLive<number>(open, { after: 'x', onConnection: (isConnected) => states.push(isConnected) }),
    3,
  );
  expect(items.map(({ data }) => data)).toEqual([1, 2, 3]);
  expect(cursors).toEqual(['x', 'a', 'd']);
  expect(states).toEqual([true, false, true, false, true]);
});

test('the signal ends the iteration and the connection', async () => {
  const stop = new AbortController();
  let isClosed = false;
  const open = async () =>
    new ReadableStream<Uint8Array>({
      cancel: () => {
        isClosed = true;
      },
    });
  const items = take(followLive(open, { signal: stop.signal }), 1);
  await new Promise((resolve) => setTimeout(resolve));
  stop.abort();
  expect(await items).toEqual([]);
  expect(isClosed).toBe(true);
});

test('what the server rejects is thrown, and what can recover is tried again', async () => {
  const failing = (error: unknown): Send => (() => Promise.reject(error)) as unknown as Send;
  const open = (error: unknown) => openThrough(failing(error), (cursor) => `/x?after=${cursor}`)('head');
  expect(await open(new AnswerError('/x', 503, 'starting'))).toBeNull();
  expect(await open(new AnswerError('/x', 429, 'too many requests'))).toBeNull();
  expect(await open(new KnownError('AUDIT_LOG_NOT_READY', 503, 'being built', {}))).toBeNull();
  expect(await open(new KnownError('LIVE_STREAM_LIMIT_REACHED', 429, 'too many', {}))).toBeNull();
  await expect(open(new KnownError('SCHEMA_ERROR', 400, 'no cursor', {}))).rejects.toThrow('no cursor');
  await expect(open(new AnswerError('/x', 404, 'gone'))).rejects.toThrow('gone');
});
