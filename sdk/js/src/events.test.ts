import { expect, test } from 'vitest';
import { GatebookServerApp } from './app/server-app.ts';
import { type FakeAnswer, fakeNetwork, type SentRequest } from './testing.ts';

function serverApp(answer: (request: SentRequest) => FakeAnswer) {
  const { network, requests } = fakeNetwork(answer);
  const facts = { baseUrl: 'http://gate.test', projectId: 'p1', secretServerKey: 's', tokenStore: 'memory' } as const;
  const app = new GatebookServerApp({ ...facts, parts: { network } });
  return { app, pathsOf: () => requests.map(({ url }) => url.replace('http://gate.test/api/v1', '')), requests };
}

const event = { id: 'evt_1', type: 'team.deleted', cursor: 'c1', data: { id: 't1' } };

test('events are listed with their filters, and keep the names of the wire format', async () => {
  const json = { items: [event], next_after: 'c2', has_more: true, head_after: 'c3' };
  const { app, pathsOf, requests } = serverApp(() => ({ json }));
  const page = await app.listEvents({ types: ['team.*', 'user.created'], userId: 'u1', after: 'c0', waitInMillis: 5 });
  expect(page).toEqual({ items: [event], nextAfter: 'c2', hasMore: true, headAfter: 'c3' });
  expect(pathsOf()).toEqual(['/events?types=team.*%2Cuser.created&user_id=u1&after=c0&wait_in_millis=5']);
  expect(requests[0]?.headers).toMatchObject({ 'x-stack-secret-server-key': 's', 'x-stack-access-type': 'server' });
});

test('an event is read by its ID', async () => {
  const { app, pathsOf } = serverApp(() => ({ json: event }));
  expect(await app.getEvent('evt_1')).toEqual(event);
  expect(pathsOf()).toEqual(['/events/evt_1']);
});

test('the types are listed as they are declared', async () => {
  const type = { type: 'team.deleted', description: 'd', tags: ['Teams'], schema: {}, example: { team_id: 't' } };
  const { app } = serverApp(() => ({ json: { items: [type], is_paginated: false } }));
  expect(await app.listEventTypes()).toEqual([type]);
});

test('events are followed after a cursor', async () => {
  const text = `id: c1\ndata: ${JSON.stringify(event)}\n\n`;
  const { app, pathsOf } = serverApp(() => ({ text, headers: { 'content-type': 'text/event-stream' } }));
  for await (const followed of app.followEvents({ types: ['team.deleted'], after: 'c0' })) {
    expect(followed).toEqual(event);
    break;
  }
  expect(pathsOf()).toEqual(['/events/stream?types=team.deleted&after=c0']);
});

test('an aborted call is rejected, and not tried again', async () => {
  const { network } = fakeNetwork(() => ({}));
  let calls = 0;
  const fetch: typeof network.fetch = async (_, { signal }) => {
    calls += 1;
    stop.abort();
    signal?.throwIfAborted();
    return new Response();
  };
  const stop = new AbortController();
  const facts = { baseUrl: 'http://gate.test', projectId: 'p1', secretServerKey: 's', tokenStore: null } as const;
  const app = new GatebookServerApp({ ...facts, parts: { network: { ...network, fetch } } });
  await expect(app.listEvents({ signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
  expect(calls).toBe(1);
});
