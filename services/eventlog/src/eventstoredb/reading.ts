import type { AllStreamResolvedEvent, AllStreamSubscription, StreamingRead } from '@eventstore/db-client';

const batchSize = 1_000;
/** The status as gRPC reports it. */
const unavailable = 14;
/** A server that sends nothing for this long does not respond. */
const silenceMs = 10_000;

/** All results of a read, in order. @throws Error UNAVAILABLE if the server falls silent, or the failure of the read */
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
 * Yields what a subscription delivers, as much at once as has arrived, until it ends or `signal` aborts. Applies
 * backpressure. @throws the failure of the subscription, after all earlier events were taken
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
  // Stays registered: a subscription may fail once more after it was canceled.
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
