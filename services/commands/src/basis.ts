import type { EventStore } from '@gatebook/eventlog/port';

/** Larger decisions name only the streams that they read last. */
const maxStreams = 16;
const recorders = new WeakSet<EventStore>();

/**
 * A log that remembers which streams were read at which revision, and records them with each append as the basis of the
 * decision. Use one per request or job. `known`: revisions that were read elsewhere, such as from a read model.
 */
export function recordBasis(store: EventStore, known: Readonly<Record<string, number>> = {}): EventStore {
  if (recorders.has(store)) return store;
  const revisions = new Map(Object.entries(known));

  function note(stream: string, revision: bigint): void {
    revisions.delete(stream);
    revisions.set(stream, Number(revision));
    const [oldest] = revisions.keys();
    if (revisions.size > maxStreams && oldest !== undefined) revisions.delete(oldest);
  }

  const recorder: EventStore = {
    ...store,
    readStream: async (stream, unneeded) => {
      const found = await store.readStream<never>(stream, unneeded);
      note(stream, found.revision);
      return found;
    },
    foldStream: async (stream, fold, options) => {
      const folded = await store.foldStream(stream, fold, options);
      note(stream, folded.revision);
      return folded;
    },
    append: async (writes, metadata) => {
      const written = new Set(writes.map(({ stream }) => stream));
      const read = [...revisions].filter(([stream]) => !written.has(stream));
      const appended = await store.append(writes, { ...metadata, basis: Object.fromEntries(read) });
      for (const { stream, expected, events } of writes) {
        if (events.length > 0) note(stream, expected + BigInt(events.length));
      }
      return appended;
    },
  };
  recorders.add(recorder);
  return recorder;
}
