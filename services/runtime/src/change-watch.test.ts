import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createChangeWatch } from './change-watch.ts';
import type { Listener } from './listener.ts';

type Subscription = { announce: () => void; resume: () => void; lose: () => void };
let subscriptions: Map<string, Subscription>;
const listener: Listener = {
  listen: async (channel, announce, resume, lose = () => undefined) => {
    subscriptions.set(channel, { announce: () => announce(''), resume, lose });
    return async () => void subscriptions.delete(channel);
  },
  close: async () => undefined,
};
const on = (channel: string) => subscriptions.get(channel) as Subscription;

beforeEach(() => {
  subscriptions = new Map();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a look is needed at first, after each notification, and after 7.5 s without one', async () => {
  const watch = await createChangeWatch(listener, ['one', 'other']);
  expect([watch.mayHaveChanged(), watch.mayHaveChanged()]).toEqual([true, false]);
  on('other').announce();
  expect([watch.mayHaveChanged(), watch.mayHaveChanged()]).toEqual([true, false]);
  vi.advanceTimersByTime(4_900);
  expect(watch.mayHaveChanged()).toBe(false);
  vi.advanceTimersByTime(2_600);
  expect([watch.mayHaveChanged(), watch.mayHaveChanged()]).toEqual([true, false]);
  await watch.close();
  expect(subscriptions.size).toBe(0);
});

test('every look is needed while the connection is lost, and one after it is back', async () => {
  const watch = await createChangeWatch(listener, ['one']);
  watch.mayHaveChanged();
  on('one').lose();
  expect([watch.mayHaveChanged(), watch.mayHaveChanged()]).toEqual([true, true]);
  on('one').resume();
  expect([watch.mayHaveChanged(), watch.mayHaveChanged()]).toEqual([true, false]);
});

test('every look is needed without a listener, or if one channel cannot be listened to', async () => {
  const deaf: Listener = {
    ...listener,
    listen: (channel, ...rest) =>
      channel === 'other' ? Promise.reject(new Error('no database')) : listener.listen(channel, ...rest),
  };
  for (const watch of [await createChangeWatch(undefined, ['one']), await createChangeWatch(deaf, ['one', 'other'])]) {
    expect([watch.mayHaveChanged(), watch.mayHaveChanged()]).toEqual([true, true]);
  }
  on('one').resume();
});
