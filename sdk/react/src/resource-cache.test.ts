import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createResourceCache } from './resource-cache.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const key = ['users', 'p1'];

/** A loader that resolves on demand. */
function manualLoader() {
  const answers: ((value: unknown) => void)[] = [];
  const load = vi.fn(() => new Promise<unknown>((resolve) => answers.push(resolve)));
  return { load, answer: (value: unknown) => answers.shift()?.(value) };
}

test('two subscribers share one fetch', async () => {
  const cache = createResourceCache();
  const { load, answer } = manualLoader();
  cache.subscribe(key, load, () => {});
  cache.subscribe(key, load, () => {});
  answer('value');
  await vi.advanceTimersByTimeAsync(0);
  expect(load).toHaveBeenCalledTimes(1);
  expect(cache.state(key)).toEqual({ value: 'value', error: undefined, isFetching: false });
});

test('a subscriber is not notified when the first fetch starts, but when a refresh does', async () => {
  const cache = createResourceCache();
  const { load, answer } = manualLoader();
  const before = cache.state(key);
  expect(before).toEqual({ value: undefined, error: undefined, isFetching: true });
  const listener = vi.fn();
  cache.subscribe(key, load, listener);
  expect(cache.state(key)).toBe(before);
  expect(listener).not.toHaveBeenCalled();
  answer(1);
  await vi.advanceTimersByTimeAsync(300);
  expect(listener).toHaveBeenCalledOnce();
  void cache.refresh(key);
  expect(cache.state(key)).toMatchObject({ value: 1, isFetching: true });
  expect(listener).toHaveBeenCalledTimes(2);
});

test('refreshes during a fetch are batched into one that starts 300 ms after the last', async () => {
  const cache = createResourceCache();
  const { load, answer } = manualLoader();
  cache.subscribe(key, load, () => {});
  const done = Promise.all([cache.refresh(key), cache.refresh(key), cache.refresh(key)]);
  answer(1);
  await vi.advanceTimersByTimeAsync(299);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(load).toHaveBeenCalledTimes(2);
  answer(2);
  await done;
  expect(cache.state(key).value).toBe(2);
});

test('a failed fetch keeps the last value, and the next success clears the error', async () => {
  const cache = createResourceCache();
  let isDown = false;
  cache.subscribe(
    key,
    async () => (isDown ? Promise.reject(new Error('down')) : 'value'),
    () => {},
  );
  await vi.advanceTimersByTimeAsync(300);
  isDown = true;
  await cache.refresh(key);
  expect(cache.state(key)).toMatchObject({ value: 'value', error: new Error('down') });
  isDown = false;
  await vi.advanceTimersByTimeAsync(300);
  await cache.refresh(key);
  expect(cache.state(key).error).toBeUndefined();
});

test('an unused entry is dropped after five seconds, not before', async () => {
  const cache = createResourceCache();
  const load = vi.fn(async () => 'value');
  cache.subscribe(key, load, () => {})();
  await vi.advanceTimersByTimeAsync(4_999);
  cache.subscribe(key, load, () => {})();
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(cache.state(key).value).toBeUndefined();
  cache.subscribe(key, load, () => {});
  expect(load).toHaveBeenCalledTimes(2);
});

test('with refreshesOnReturn, a returning subscriber sees the last value during the refresh', async () => {
  const cache = createResourceCache({ refreshesOnReturn: true });
  let value = 1;
  const load = vi.fn(async () => value);
  const leave = cache.subscribe(key, load, () => {});
  await vi.advanceTimersByTimeAsync(1_000);
  leave();
  value = 2;
  cache.subscribe(key, load, () => {});
  expect(cache.state(key).value).toBe(1);
  await vi.advanceTimersByTimeAsync(0);
  expect(cache.state(key).value).toBe(2);
  cache.subscribe(key, load, () => {});
  await vi.advanceTimersByTimeAsync(1_000);
  expect(load).toHaveBeenCalledTimes(2);
});

test('invalidating a prefix refreshes used entries and drops the others', async () => {
  const cache = createResourceCache();
  const watched = vi.fn(async () => 'watched');
  const unwatched = vi.fn(async () => 'unwatched');
  const other = vi.fn(async () => 'other');
  cache.subscribe(['users', 'p1', 'a'], watched, () => {});
  cache.subscribe(['users', 'p1', 'b'], unwatched, () => {})();
  cache.subscribe(['projects'], other, () => {});
  await vi.advanceTimersByTimeAsync(300);
  await cache.invalidate(['users', 'p1']);
  expect([watched, unwatched, other].map((load) => load.mock.calls.length)).toEqual([2, 1, 1]);
  expect(cache.state(['users', 'p1', 'b']).value).toBeUndefined();
});

test('a refresh of what has been dropped leaves nothing behind', async () => {
  const cache = createResourceCache({ fetchesAhead: true });
  await cache.refresh(key);
  const load = vi.fn(async () => 'value');
  cache.prepare(key, load);
  expect(load).toHaveBeenCalledOnce();
});

describe('with fetchesAhead', () => {
  test('a value is fetched while components render, and the first subscriber gets it at once', async () => {
    const cache = createResourceCache({ refreshesOnReturn: true, fetchesAhead: true });
    const load = vi.fn(async () => 'value');
    cache.prepare(key, load);
    cache.prepare(key, load);
    await vi.advanceTimersByTimeAsync(100);
    const rendered = cache.state(key);
    expect(rendered).toEqual({ value: undefined, error: undefined, isFetching: true });
    const listener = vi.fn();
    cache.subscribe(key, load, listener);
    expect(listener).toHaveBeenCalledOnce();
    expect(cache.state(key)).toEqual({ value: 'value', error: undefined, isFetching: false });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(load).toHaveBeenCalledOnce();
  });

  test('a subscriber that comes during the fetch shares it', async () => {
    const cache = createResourceCache({ fetchesAhead: true });
    const { load, answer } = manualLoader();
    cache.prepare(key, load);
    cache.subscribe(key, load, () => {});
    answer('value');
    await vi.advanceTimersByTimeAsync(0);
    expect(cache.state(key).value).toBe('value');
    expect(load).toHaveBeenCalledOnce();
  });

  test('the first subscriber also gets the error of a fetch', async () => {
    const cache = createResourceCache({ fetchesAhead: true });
    cache.prepare(key, () => Promise.reject(new Error('down')));
    await vi.advanceTimersByTimeAsync(0);
    cache.subscribe(key, async () => 'value', vi.fn());
    expect(cache.state(key)).toEqual({ value: undefined, error: new Error('down'), isFetching: false });
  });

  test('a fetch that takes longer than five seconds is shared as well', async () => {
    const cache = createResourceCache({ fetchesAhead: true });
    const { load, answer } = manualLoader();
    cache.preload(key, load);
    await vi.advanceTimersByTimeAsync(6_000);
    cache.subscribe(key, load, () => {});
    answer('value');
    await vi.advanceTimersByTimeAsync(6_000);
    expect(cache.state(key).value).toBe('value');
    expect(load).toHaveBeenCalledOnce();
  });

  test('what nobody subscribes to is dropped after five seconds, and at once when it is invalidated', async () => {
    const cache = createResourceCache({ fetchesAhead: true });
    const load = vi.fn(async () => 'value');
    cache.prepare(key, load);
    await vi.advanceTimersByTimeAsync(5_000);
    cache.prepare(key, load);
    expect(load).toHaveBeenCalledTimes(2);
    await cache.invalidate(key);
    cache.subscribe(key, load, () => {});
    expect(load).toHaveBeenCalledTimes(3);
  });
});

test('a preloaded value is there when a component renders, and is not fetched again', async () => {
  const cache = createResourceCache({ refreshesOnReturn: true, fetchesAhead: true });
  const load = vi.fn(async () => 'value');
  cache.preload(key, load);
  await vi.advanceTimersByTimeAsync(400);
  expect(cache.state(key)).toEqual({ value: 'value', error: undefined, isFetching: false });
  const listener = vi.fn();
  cache.subscribe(key, load, listener);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(load).toHaveBeenCalledOnce();
  expect(listener).not.toHaveBeenCalled();
});

test('without fetchesAhead, rendering fetches nothing', () => {
  const load = vi.fn(async () => 'value');
  createResourceCache().prepare(key, load);
  expect(load).not.toHaveBeenCalled();
});
