/** Starts work that ends when its signal aborts. @returns a function that ends it */
export function runUntilEnded(work: (signal: AbortSignal) => Promise<unknown>): () => Promise<void> {
  const stop = new AbortController();
  const ended = work(stop.signal);
  return async () => {
    stop.abort();
    await ended;
  };
}
