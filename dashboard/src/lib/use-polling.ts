import { useEffect, useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/** Calls again `stepMs` after the last call was done, while the page can be seen. Says whether it is at it. */
export function usePolling(call: () => Promise<void>, stepMs: number): boolean {
  const isVisible = useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');
  useEffect(() => {
    if (!isVisible) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const turn = async (): Promise<void> => {
      await call();
      if (!isOver) timer = setTimeout(turn, stepMs);
    };
    timer = setTimeout(turn, stepMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [call, stepMs, isVisible]);
  return isVisible;
}
