import { readIfPossible } from '@gatebook/commands/read-if-possible';
import type { AuditEventDetailView } from '@gatebook/contract/audit';
import { auditedStream } from '@gatebook/domain/audit/audited-streams';
import { type Digest, fieldChanges } from '@gatebook/domain/audit/field-changes';
import type { Fields } from '@gatebook/domain/audit/fields';
import type { Recorded } from '@gatebook/domain/event';
import type { Definitions } from '@gatebook/domain/permission/effective';
import type { EventStore } from '@gatebook/eventlog/port';
import { splitBySize } from '@gatebook/runtime/split-by-size';
import { toChangeView } from '../audit/read-detail.ts';

type Changes = AuditEventDetailView['changes'];
type Audited = NonNullable<ReturnType<typeof auditedStream>>;
/** Removes personal data of erased subjects. */
type Clean = (event: Recorded) => Recorded;
/**
 * `bytes`: approximate size of the events that the state follows from. `fields`: once they are known. `page`: when it
 * was remembered.
 */
type Known = { state: unknown; revision: bigint; bytes: number; fields?: Fields; page?: number };

const maxRememberedBytes = 1024 * 1024;
/** Longer streams are folded only as far as the export itself passes all of their events. */
const maxFoldedEvents = 2_000n;
/** Events that are decoded at once, for one or more streams, while requests wait. */
const maxEventsAtOnce = 24;

type Parts = {
  store: Pick<EventStore, 'readStreamPages' | 'readEarlier'>;
  permissions: Definitions;
  digest: Digest;
};

export type ChangeReader = {
  /** Begins a page: reads what its events need, many streams at once. */
  prepare(events: readonly Recorded[], clean: Clean): Promise<void>;
  changesOf(event: Recorded, clean: Clean): Promise<Changes>;
};

/**
 * Computes what events changed, for events in the order of the log: remembers the states of the streams of this page
 * and the last one, so that most events cost no read.
 */
export function createChangeReader({ store, permissions, digest }: Parts): ChangeReader {
  const known = new Map<string, Known>();
  let bytes = 0;
  let page = 0;

  function forget(stream: string): void {
    bytes -= known.get(stream)?.bytes ?? 0;
    known.delete(stream);
  }

  function remember(stream: string, next: Known): void {
    forget(stream);
    known.set(stream, next);
    next.page = page;
    bytes += next.bytes;
    for (const oldest of known.keys()) {
      if (bytes <= maxRememberedBytes) return;
      forget(oldest);
    }
  }

  /** States that are remembered for longer become old objects, whose collection blocks the process for longer. */
  function forgetEarlierPages(): void {
    for (const [stream, { page: of = page }] of known) {
      if (of >= page - 1) return;
      forget(stream);
    }
  }

  const isKnown = ({ stream, revision }: Recorded) => revision === 0n || known.get(stream)?.revision === revision - 1n;

  /** Streams with an event that cannot be read or has large values are left to `stateBefore`. */
  async function readStates(events: readonly Recorded[], clean: Clean): Promise<void> {
    const earlier = Map.groupBy(await store.readEarlier(events, { large: true }), ({ stream }) => stream);
    for (const { stream, revision } of events) {
      const audited = auditedStream(stream);
      const found = earlier.get(stream) ?? [];
      if (!audited || found.some(({ unreadable, blobs }) => unreadable || blobs?.length)) continue;
      const state = found.reduce((before, event) => after(before, audited, clean(event)), initialOf(audited));
      if (state.revision === revision - 1n) remember(stream, state);
    }
  }

  /** The state before an event, if it needs no read. */
  function recall({ stream, revision }: Recorded, audited: Audited): Known | null {
    if (revision === 0n) return initialOf(audited);
    const found = known.get(stream);
    return found?.revision === revision - 1n ? found : null;
  }

  /** The same from the log; null if too many events lead to it. */
  async function stateBefore({ stream, revision }: Recorded, audited: Audited, clean: Clean): Promise<Known | null> {
    if (revision > maxFoldedEvents) return null;
    let state = initialOf(audited);
    for await (const page of store.readStreamPages(stream)) {
      for (const event of page) {
        if (event.revision >= revision) return state;
        state = after(state, audited, clean(event));
      }
    }
    return state;
  }

  return {
    prepare: async (events, clean) => {
      page += 1;
      forgetEarlierPages();
      const firsts = [...Map.groupBy(events, ({ stream }) => stream).values()].flatMap(([first]) => first ?? []);
      const needed = firsts.filter(
        (event) => auditedStream(event.stream) && event.revision <= maxEventsAtOnce && !isKnown(event),
      );
      for (const batch of splitBySize(needed, ({ revision }) => Number(revision), maxEventsAtOnce)) {
        await readStates(batch, clean);
      }
    },
    changesOf: async (event, clean) => {
      const audited = auditedStream(event.stream);
      if (!audited) return [];
      const before = recall(event, audited) ?? (await readIfPossible(() => stateBefore(event, audited, clean)));
      if (!before) return null;
      const next = after(before, audited, clean(event));
      remember(event.stream, next);
      const changes = fieldChanges(fieldsOf(before, audited), fieldsOf(next, audited), digest);
      return changes.map((change) => toChangeView(change, permissions));
    },
  };
}

/** The fields after an event are those before the next one. */
function fieldsOf(known: Known, audited: Audited): Fields {
  known.fields ??= audited.fieldsOf(known.state);
  return known.fields;
}

const initialOf = ({ initialState }: Audited): Known => ({ state: initialState, revision: -1n, bytes: 0 });

function after({ state, bytes }: Known, audited: Audited, event: Recorded): Known {
  const size = JSON.stringify(event.data).length;
  return { state: audited.evolve(state, event), revision: event.revision, bytes: bytes + size };
}
