import type { AllStreamResolvedEvent, AllStreamSubscription, StreamingRead } from '@eventstore/db-client';

const batchSize = 1_000;
/** As gRPC says it. */
const unavailable = 14;
/** A server that says nothing for so long does not answer. */
const silenceMs = 10_000;

/** All that a read answers, in its order. @throws Error UNAVAILABLE when the server falls silent, and what the read fails for */
export function collect<T>(stream: StreamingRead<T>, patienceMs = silenceMs): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const items: T[] = [];
    const timer = setTimeout(() => {
      stream.cancel().catch(() => undefined);
      reject(Object.assign(new Error('14 UNAVAILABLE: no answer'), { code: unavailable }));
    }, patienceMs);
    stream.on('data', (item: T) => {
      items.push(item);
      timer.refresh();
    });
    stream.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    stream.on('end', () => {
      clearTimeout(timer);
      resolve(items);
    });
  });
}

/**
 * What a subscription brings, as much at once as has come, until it ends or `signal` aborts. What is not taken is not asked for.
 * @throws what the subscription failed for, once all that came before was taken
 */
export async function* batchesOf(
  subscription: AllStreamSubscription,
  signal: AbortSignal,
): AsyncIterable<readonly AllStreamResolvedEvent[]> {
  let hasEnded = false;
  let failure: { error: unknown } | undefined;
  let wake = () => {};
  const next = () => subscription.read() as AllStreamResolvedEvent | null;
  subscription.on('readable', () => wake());
  subscription.on('end', () => {
    hasEnded = true;
    wake();
  });
  // Stays: a subscription may fail once more after it was given up.
  subscription.on('error', (error: unknown) => {
    failure ??= { error };
    wake();
  });
  const abort = () => wake();
  signal.addEventListener('abort', abort);
  try {
    while (!signal.aborted) {
      const batch: AllStreamResolvedEvent[] = [];
      for (let item = next(); item !== null; item = next()) {
        batch.push(item);
        if (batch.length === batchSize) break;
      }
      if (batch.length > 0) yield batch;
      else if (failure) throw failure.error;
      else if (hasEnded) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
