import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
