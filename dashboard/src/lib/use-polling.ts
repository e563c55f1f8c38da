import { useEffect, useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/**
 * Calls `call` repeatedly while the page is visible, `stepMs` after the previous call has settled.
 * @returns whether polling is active
 */
export function usePolling(call: () => Promise<void>, stepMs: number): boolean {
  const isVisible = useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');
  useEffect(() => {
    if (!isVisible) return;
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
  }, [call, stepMs, isVisible]);
  return isVisible;
}
