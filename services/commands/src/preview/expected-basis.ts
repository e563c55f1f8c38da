import { ConcurrencyError, type EventStore, type Write } from '@gatebook/eventlog/port';
import { noteReads, type ReadRevisions } from './read-revisions.ts';

type Expectation = {
  /** The streams that are not as expected; null: all are. */
  findChanged(reads: ReadRevisions): readonly string[] | null;
  rejectOutdated(streams: readonly string[]): never;
  /** Streams whose IDs this request has generated. */
  isGenerated(stream: string): boolean;
  /** Revisions that were read elsewhere, such as from a read model: deciding again does not read them again. */
  known: ReadonlyMap<string, bigint>;
};

/**
 * A log whose first append requires that everything read so far is as expected, and stays so until the append: streams
 * that are not written get a guard. A request that appends nothing calls `check`. Use one per request.
 */
export function expectBasis(
  log: EventStore,
  { findChanged, rejectOutdated, isGenerated, known }: Expectation,
): { store: EventStore; check(): void } {
  const reads: ReadRevisions = new Map(known);
  /** Parts of the append that a conflict left in the log (docs/decisions/0014). */
  const own = new Set<string>();
  const store = noteReads(log, reads, (stream) => isGenerated(stream) || own.has(stream));
  let isChecked = false;

  async function listOutdatedReads(): Promise<string[]> {
    const current = await log.revisionsOf([...reads.keys()]);
    return [...reads].flatMap(([stream, revision]) =>
      current.get(stream) === revision || own.has(stream) ? [] : [stream],
    );
  }

  async function appendFirst(writes: readonly Write[], metadata: Parameters<EventStore['append']>[1]) {
    const changed = findChanged(reads);
    if (changed !== null) {
      // The decision may have used a remembered state. Decide again on the current one.
      const outdated = await listOutdatedReads();
      const unread = outdated.filter((stream) => known.get(stream) === reads.get(stream));
      if (unread.length > 0) rejectOutdated(unread);
      const [stream] = outdated;
      if (stream !== undefined) throw new ConcurrencyError(stream);
      rejectOutdated(changed);
    }
    try {
      return await log.append([...guardsFor(reads, writes), ...writes], metadata);
    } catch (error) {
      if (!(error instanceof ConcurrencyError)) throw error;
      for (const stream of error.left) own.add(stream);
      const outdated = await listOutdatedReads();
      if (outdated.length > 0) rejectOutdated(outdated);
      throw error;
    }
  }

  return {
    store: {
      ...store,
      append: async (writes, metadata) => {
        const appended = await (isChecked ? log.append(writes, metadata) : appendFirst(writes, metadata));
        isChecked = true;
        return appended;
      },
    },
    check: () => {
      const changed = isChecked ? null : findChanged(reads);
      if (changed !== null) rejectOutdated(changed);
    },
  };
}

function guardsFor(reads: ReadRevisions, writes: readonly Write[]): readonly Write[] {
  const written = new Set(writes.map(({ stream }) => stream));
  return [...reads].flatMap(([stream, expected]) => (written.has(stream) ? [] : [{ stream, expected, events: [] }]));
}
