// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useAction } from './use-action.ts';

afterEach(() => vi.unstubAllGlobals());

test.each(['succeeds', 'fails'])('a call that %s after its component is gone sets no state', async (outcome) => {
  const call = Promise.withResolvers<void>();
  const { result, unmount } = renderHook(() => useAction(() => call.promise));
  let isDone: Promise<boolean> | undefined;
  act(() => {
    isDone = result.current.run();
  });
  unmount();
  // React reads `window.event` whenever state is set.
  vi.stubGlobal('window', undefined);
  if (outcome === 'succeeds') call.resolve();
  else call.reject(new Error('late'));
  expect(await isDone).toBe(false);
});
