import { expect, test, vi } from 'vitest';
import { loadOnce } from './load-once.ts';

test('loads at the first use, once', async () => {
  const load = vi.fn(async () => ({}));
  const use = loadOnce(load);
  expect(load).not.toHaveBeenCalled();
  const [first, second] = await Promise.all([use(), use()]);
  expect([second, await use()]).toEqual([first, first]);
  expect(load).toHaveBeenCalledOnce();
});

test('loads again after a failure, which all who waited see', async () => {
  const load = vi.fn(async () => 'loaded').mockRejectedValueOnce(new Error('too many open files'));
  const use = loadOnce(load);
  const failure = { status: 'rejected', reason: new Error('too many open files') };
  expect(await Promise.allSettled([use(), use()])).toEqual([failure, failure]);
  expect(load).toHaveBeenCalledOnce();
  expect(await Promise.all([use(), use()])).toEqual(['loaded', 'loaded']);
  expect(load).toHaveBeenCalledTimes(2);
});
