/** The newest position that this process knows of, and those waiting for the next one. */
export type Newest = {
  position(): bigint;
  announce(position: bigint): void;
  /** Forgets the position and wakes all waiters: the log has lost events. */
  reset(): void;
  /** Wakes all waiters, because an announcement may have been missed. */
  wake(): void;
  /**
   * Resolves to `announced` when a position above `seen` is announced, and to `unknown` on wake, on abort, or after
   * `timeoutMs`.
   */
  above(seen: bigint, signal: AbortSignal, timeoutMs?: number): Promise<'announced' | 'unknown'>;
};

export function createNewest(): Newest {
  let newest = 0n;
  const waiting = new Set<(outcome: 'announced' | 'unknown') => void>();
  const resumeAll = (outcome: 'announced' | 'unknown') => {
    for (const resume of waiting) resume(outcome);
  };
  return {
    position: () => newest,
    announce: (position) => {
      if (position <= newest) return;
      newest = position;
      resumeAll('announced');
    },
    reset: () => {
      newest = 0n;
      resumeAll('unknown');
    },
    wake: () => resumeAll('unknown'),
    above: (seen, signal, timeoutMs) =>
      new Promise((resolve) => {
        if (newest > seen) return resolve('announced');
        if (signal.aborted) return resolve('unknown');
        const resume = (outcome: 'announced' | 'unknown') => {
          waiting.delete(resume);
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
          resolve(outcome);
        };
        const abort = () => resume('unknown');
        const timer = timeoutMs === undefined ? undefined : setTimeout(abort, timeoutMs);
        waiting.add(resume);
        signal.addEventListener('abort', abort);
      }),
  };
}
