import type { Logger } from '@gatebook/runtime/logger';

type Use = { at: string };
/** Buffers frequent records of little value and writes them together a moment later. */
export type Batch<U extends Use> = {
  /** The first use is recorded; further uses of the same key only after a minute. */
  add(use: U): void;
  /** Writes the buffered rows. */
  flush(): Promise<void>;
  /** Drops the buffered rows. */
  drop(isMeant: (use: U) => boolean): void;
  close(): Promise<void>;
};

const writeEveryMs = 1000;
const coalesceMs = 60_000;
const maxRemembered = 100_000;

export function createBatch<U extends Use>(
  logger: Logger,
  { keyOf, write }: { keyOf: (use: U) => string; write: (uses: readonly U[]) => Promise<void> },
): Batch<U> {
  let waiting = new Map<string, U>();
  const lastAdded = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    flush().catch((error: unknown) => logger.warn({ err: error }, 'could not write activity'));
  }, writeEveryMs);
  timer.unref();

  function add(use: U): void {
    const [key, at] = [keyOf(use), Date.parse(use.at)];
    const last = lastAdded.get(key);
    if (last !== undefined && at - last < coalesceMs) return;
    if (lastAdded.size >= maxRemembered) lastAdded.clear();
    lastAdded.set(key, at);
    waiting.set(key, use);
  }

  function flush(): Promise<void> {
    const uses = [...waiting.values()];
    waiting = new Map();
    if (uses.length > 0) writing = writing.catch(() => undefined).then(() => write(uses));
    return writing;
  }

  return {
    add,
    flush,
    drop: (isMeant) => {
      for (const [key, use] of waiting) if (isMeant(use)) waiting.delete(key);
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
