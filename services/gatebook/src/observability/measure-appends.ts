import { AppendTooLargeError, ConcurrencyError, type EventStore } from '@gatebook/eventlog/port';
import type { AppendOutcome, Instruments } from '@gatebook/runtime/instruments';

/** Measures appends as their callers see them, from the call to the result. */
export function measureAppends(store: EventStore, { appended }: Pick<Instruments, 'appended'>): EventStore {
  return {
    ...store,
    append: async (writes, metadata) => {
      const start = performance.now();
      const report = (outcome: AppendOutcome) =>
        appended({
          outcome,
          events: outcome === 'committed' ? writes.reduce((sum, { events }) => sum + events.length, 0) : 0,
          seconds: (performance.now() - start) / 1_000,
        });
      try {
        const result = await store.append(writes, metadata);
        report('committed');
        return result;
      } catch (error) {
        report(outcomeOf(error));
        throw error;
      }
    },
  };
}

function outcomeOf(error: unknown): AppendOutcome {
  if (error instanceof ConcurrencyError) return 'conflict';
  return error instanceof AppendTooLargeError ? 'rejected' : 'failed';
}
