import { describe, expect, test } from 'vitest';
import { expectPlain } from '../testing/requests.ts';
import { startIdempotencySuite } from './testing/idempotency.ts';

/** One append of the log, or one step after it, that waits to be let go on or to fail. */
type Stop = { reached: Promise<void>; goOn(): void; fail(): void };
let stops: { before?: () => Promise<void>; after?: () => Promise<void> } = {};

function stopNext(when: 'before' | 'after'): Stop {
  const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  stops[when] = () => {
    stops = {};
    reached.resolve();
    return going.promise;
  };
  return {
    reached: reached.promise,
    goOn: going.resolve,
    fail: () => going.reject(new Error('the process died')),
  };
}

const { api, send, project, newKey, write, countUsers } = await startIdempotencySuite({
  overrides: ({ store }) => ({
    store: {
      ...store,
      append: async (writes, metadata) => {
        await stops.before?.();
        const appended = await store.append(writes, metadata);
        await stops.after?.();
        return appended;
      },
    },
  }),
});

describe('a process that stops', () => {
  /** Longer than a reservation holds. */
  const giveUp = () => api.advance(61_000);

  test('before it decided: a retry executes the write, and the stopped request does not', async () => {
    const [key, before, stop] = [newKey(), await countUsers(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    giveUp();
    const again = await write(key);
    expect(again.status).toBe(201);
    stop.goOn();
    expectPlain(await first, 409);
    expect(await countUsers()).toBe(before + 1);
    expect((await write(key)).text).toBe(again.text);
  });

  test('before it decided, and resumes first: its write is executed', async () => {
    const [key, before, stop] = [newKey(), await countUsers(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    giveUp();
    const secondStop = stopNext('before');
    const second = write(key);
    await secondStop.reached;
    stop.goOn();
    expect((await first).status).toBe(201);
    secondStop.goOn();
    expectPlain(await second, 409);
    expect(await countUsers()).toBe(before + 1);
  });

  test('after it decided: the write is not executed again, and its response is lost', async () => {
    const [key, before, stop] = [newKey(), await countUsers(), stopNext('after')];
    const first = write(key);
    await stop.reached;
    giveUp();
    for (let twice = 0; twice < 2; twice += 1) expectPlain(await write(key), 409);
    stop.goOn();
    await first;
    expect(await countUsers()).toBe(before + 1);
  });

  test('before it decided, with an error: the key can be used again for any request', async () => {
    const [key, stop] = [newKey(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    stop.fail();
    expect((await first).status).toBe(500);
    expect((await write(key, { display_name: 'Bob' })).status).toBe(201);
  });

  test('after it revoked a leaked API key: the revocation is not done again', async () => {
    await send('PATCH', '/internal/projects/current', {
      ...project,
      access: 'admin',
      body: { config: { allow_user_api_keys: true } },
    });
    const { id: user_id } = (await write(newKey())).body;
    const body = { description: 'leaked', expires_at_millis: null, is_public: false, user_id };
    const { value } = (await send('POST', '/user-api-keys', { ...project, access: 'server', body })).body;
    const [key, stop] = [newKey(), stopNext('after')];
    const revoke = () =>
      send('POST', '/integrations/credential-scanning/revoke', {
        body: { api_key: value },
        headers: { 'idempotency-key': key },
      });
    const first = revoke();
    await stop.reached;
    stop.fail();
    expect((await first).status).toBe(500);
    expectPlain(await revoke(), 409);
  });

  test('after it decided, with an error: the write is not executed again', async () => {
    const [key, before, stop] = [newKey(), await countUsers(), stopNext('after')];
    const first = write(key);
    await stop.reached;
    stop.fail();
    expect((await first).status).toBe(500);
    for (let twice = 0; twice < 2; twice += 1) expectPlain(await write(key), 409);
    expect(await countUsers()).toBe(before + 1);
  });

  test('for a short time: other requests wait for its response', async () => {
    const [key, stop] = [newKey(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    const second = write(key);
    expectPlain(await write(key, { display_name: 'Bob' }), 409);
    stop.goOn();
    expect((await second).text).toBe((await first).text);
  });

  test('for a long time: other requests get a 409 with retry-after', async () => {
    const [key, stop] = [newKey(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    const second = await write(key);
    expectPlain(second, 409);
    expect(second.headers['retry-after']).toBe('1');
    stop.goOn();
    expect((await first).status).toBe(201);
  });

  test('a key that was used the day before is treated as new', async () => {
    const key = newKey();
    expect((await write(key)).status).toBe(201);
    api.advance(24 * 60 * 60_000 + 60_000);
    const stop = stopNext('before');
    const first = write(key);
    await stop.reached;
    giveUp();
    expect((await write(key)).status).toBe(201);
    stop.goOn();
    expectPlain(await first, 409);
  });
});
