import { AppendTooLargeError, ConcurrencyError, type EventStore } from '@gatebook/eventlog/port';
import type { AppendOutcome, Instruments } from '@gatebook/runtime/instruments';

/** Measures and traces appends as their callers see them, from the call to the result. */
export function measureAppends(
  store: EventStore,
  { appended, trace }: Pick<Instruments, 'appended' | 'trace'>,
): EventStore {
  const measured: EventStore['append'] = async (writes, metadata) => {
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
  };
  return {
    ...store,
    append: (writes, metadata) => {
      const { projectId, correlationId } = metadata;
      const types = new Set(writes.flatMap(({ events }) => events.map(({ type }) => type)));
      const attributes = { 'gatebook.project_id': projectId, 'gatebook.event.types': [...types] };
      return trace({ name: 'append', correlationId, attributes }, () => measured(writes, metadata));
    },
  };
}

function outcomeOf(error: unknown): AppendOutcome {
  if (error instanceof ConcurrencyError) return 'conflict';
  return error instanceof AppendTooLargeError ? 'rejected' : 'failed';
}
