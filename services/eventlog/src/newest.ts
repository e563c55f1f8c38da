/** The newest position that this process knows of, and those waiting for the next one. */
export type Newest = {
  position(): bigint;
  announce(position: bigint): void;
  /** Forgets the position and wakes all waiters: the log has lost events. */
  reset(): void;
  /** Wakes all waiters, because an announcement may have been missed. */
  wake(): void;
  /** Resolves when a position above `seen` is announced, on wake, on abort, or after `timeoutMs`. */
  above(seen: bigint, signal: AbortSignal, timeoutMs?: number): Promise<void>;
};

export function createNewest(): Newest {
  let newest = 0n;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resume of waiting) resume();
  };
  return {
    position: () => newest,
    announce: (position) => {
      if (position <= newest) return;
      newest = position;
      wake();
    },
    reset: () => {
      newest = 0n;
      wake();
    },
    wake,
    above: (seen, signal, timeoutMs) =>
      new Promise((resolve) => {
        if (newest > seen || signal.aborted) return resolve();
        const resume = () => {
          waiting.delete(resume);
          clearTimeout(timer);
          signal.removeEventListener('abort', resume);
          resolve();
        };
        const timer = timeoutMs === undefined ? undefined : setTimeout(resume, timeoutMs);
        waiting.add(resume);
        signal.addEventListener('abort', resume);
      }),
  };
}
