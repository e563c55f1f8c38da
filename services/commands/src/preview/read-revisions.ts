import type { EventStore } from '@gatebook/eventlog/port';

/** Streams that a request read, each with the revision that it had at the last read. */
export type ReadRevisions = Map<string, bigint>;

/** Says only whether this request was executed before. */
const isRequest = (stream: string) => stream.startsWith('request-');

/**
 * A log that notes which streams are read at which revision. `isIgnored`: streams that differ between two runs of the
 * same command, because their IDs are new.
 */
export function noteReads(
  store: EventStore,
  reads: ReadRevisions,
  isIgnored: (stream: string) => boolean = () => false,
): EventStore {
  function note(stream: string, revision: bigint): void {
    if (!isRequest(stream) && !isIgnored(stream)) reads.set(stream, revision);
  }
  return {
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
  };
}
