import { useEffect, useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

export const useIsVisible = (): boolean =>
  useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');

/**
 * Calls `call` repeatedly while the page is visible, `stepMs` after the previous call has settled.
 * @returns whether the page is visible
 */
export function usePolling(call: () => Promise<void>, stepMs: number, isNeeded = true): boolean {
  const isVisible = useIsVisible();
  useEffect(() => {
    if (!isVisible || !isNeeded) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const poll = async (): Promise<void> => {
      await call();
      if (!isStopped) timer = setTimeout(poll, stepMs);
    };
    timer = setTimeout(poll, stepMs);
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [call, stepMs, isVisible, isNeeded]);
  return isVisible;
}
