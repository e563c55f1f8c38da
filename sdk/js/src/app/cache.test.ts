import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pause } from '../network.ts';
import { createCache } from './cache.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A resource whose fetches take 10 ms and return 1, 2, 3, … */
function counting() {
  const cache = createCache(pause, Date.now);
  let count = 0;
  const startedAt: number[] = [];
  const began = Date.now();
  const fetch = async () => {
    startedAt.push(Date.now() - began);
    count += 1;
    const value = count;
    await pause(10);
    return value;
  };
  return { cache, startedAt, open: () => cache.resource('/teams?user_id=me', fetch) };
}
const finish = async <Value>(call: PromiseLike<Value>): Promise<Value> => {
  await vi.advanceTimersByTimeAsync(10_000);
  return call;
};

describe('a read', () => {
  test('is not cached for calls', async () => {
    const { open } = counting();
    expect(await finish(open().load())).toBe(1);
    expect(await finish(open().load())).toBe(2);
  });

  test('has one fetch at a time, and calls during it share the next one', async () => {
    const { open, startedAt } = counting();
    const calls = [open().load(), open().load(), open().load()];
    expect(await finish(Promise.all(calls))).toEqual([1, 2, 2]);
    expect(startedAt).toEqual([0, 10]);
  });

  test('is kept while it is watched, and for 5 s afterwards', async () => {
    const { open } = counting();
    const unsubscribe = open().subscribe(() => {});
    await finish(open().load());
    expect(open().peek()).toEqual({ value: 1 });
    unsubscribe();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(open().peek()).toEqual({ value: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(open().peek()).toBeNull();
  });

  test('that is watched starts every 300 ms at most', async () => {
    const { open, startedAt } = counting();
    open().subscribe(() => {});
    await finish(Promise.all([open().load(), open().load()]));
    expect(startedAt).toEqual([0, 300]);
  });

  test('shows an error, until the next one succeeds', async () => {
    const cache = createCache(pause, Date.now);
    let isBroken = true;
    const resource = cache.resource('/teams', async () => {
      if (isBroken) throw new Error('offline');
      return 'fine';
    });
    resource.subscribe(() => {});
    await finish(expect(resource.load()).rejects.toThrow('offline'));
    expect(resource.peek()).toEqual({ error: new Error('offline') });
    isBroken = false;
    await finish(resource.load());
    expect(resource.peek()).toEqual({ value: 'fine' });
  });

  test('has the same promise for everyone who waits', async () => {
    const { open, startedAt } = counting();
    const waiting = open().ready();
    expect(open().ready()).toBe(waiting);
    await vi.advanceTimersByTimeAsync(10);
    await waiting;
    expect(open().peek()).toEqual({ value: 1 });
    expect(startedAt).toHaveLength(1);
  });
});

describe('a refresh', () => {
  test('reloads what is watched below the path', async () => {
    const { cache, open } = counting();
    let notifications = 0;
    open().subscribe(() => {
      notifications += 1;
    });
    await finish(open().load());
    await finish(cache.refresh('/users'));
    expect(open().peek()).toEqual({ value: 1 });
    await finish(cache.refresh('/users', '/teams'));
    expect(open().peek()).toEqual({ value: 2 });
    expect(notifications).toBe(2);
  });

  test('makes results of earlier fetches worthless', async () => {
    const { cache, open } = counting();
    const values: unknown[] = [];
    open().subscribe(() => values.push(open().peek()));
    const early = open().load();
    const refreshed = cache.refresh('/teams');
    expect(await finish(early)).toBe(1);
    await refreshed;
    expect(values).toEqual([{ value: 2 }]);
  });

  test('forgets what nobody watches', async () => {
    const { cache, open } = counting();
    const waiting = open().ready();
    await vi.advanceTimersByTimeAsync(10);
    await waiting;
    await cache.refresh('/teams');
    expect(open().peek()).toBeNull();
  });
});
