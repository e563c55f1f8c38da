import { readIfPossible } from '@gatebook/commands/read-if-possible';
import type { AuditEventDetailView } from '@gatebook/contract/audit';
import { auditedStream } from '@gatebook/domain/audit/audited-streams';
import { type Digest, fieldChanges } from '@gatebook/domain/audit/field-changes';
import type { Recorded } from '@gatebook/domain/event';
import type { Definitions } from '@gatebook/domain/permission/effective';
import type { EventStore } from '@gatebook/eventlog/port';
import { toChangeView } from '../audit/read-detail.ts';

type Changes = AuditEventDetailView['changes'];
/** `bytes`: approximate size of the events that the state follows from. */
type Known = { state: unknown; revision: bigint; bytes: number };

const maxRememberedBytes = 8 * 1024 * 1024;
/** Longer streams are folded only as far as the export itself passes all of their events. */
const maxFoldedEvents = 2_000n;

type Parts = {
  store: Pick<EventStore, 'readStreamPages'>;
  permissions: Definitions;
  digest: Digest;
};

/**
 * Computes what events changed, for events in the order of the log: remembers the states of the streams that it saw
 * last, so that most events cost no read.
 */
export function createChangeReader({ store, permissions, digest }: Parts) {
  const known = new Map<string, Known>();
  let bytes = 0;

  function remember(stream: string, next: Known): void {
    bytes += next.bytes - (known.get(stream)?.bytes ?? 0);
    known.delete(stream);
    known.set(stream, next);
    for (const [oldest, { bytes: freed }] of known) {
      if (bytes <= maxRememberedBytes) return;
      known.delete(oldest);
      bytes -= freed;
    }
  }

  /** The state before an event; null if too many events lead to it. */
  async function stateBefore(
    { stream, revision }: Recorded,
    audited: NonNullable<ReturnType<typeof auditedStream>>,
    clean: (event: Recorded) => Recorded,
  ): Promise<Known | null> {
    const found = known.get(stream);
    if (found && found.revision === revision - 1n) return found;
    let state: Known = { state: audited.initialState, revision: -1n, bytes: 0 };
    if (revision === 0n) return state;
    if (revision > maxFoldedEvents) return null;
    for await (const page of store.readStreamPages(stream)) {
      for (const event of page) {
        if (event.revision >= revision) return state;
        state = after(state, audited, clean(event));
      }
    }
    return state;
  }

  return async (event: Recorded, clean: (event: Recorded) => Recorded): Promise<Changes> => {
    const audited = auditedStream(event.stream);
    if (!audited) return [];
    const before = await readIfPossible(() => stateBefore(event, audited, clean));
    if (!before) return null;
    const next = after(before, audited, clean(event));
    remember(event.stream, next);
    const changes = fieldChanges(audited.fieldsOf(before.state), audited.fieldsOf(next.state), digest);
    return changes.map((change) => toChangeView(change, permissions));
  };
}

function after(
  { state, bytes }: Known,
  audited: NonNullable<ReturnType<typeof auditedStream>>,
  event: Recorded,
): Known {
  const size = JSON.stringify(event.data).length;
  return { state: audited.evolve(state, event), revision: event.revision, bytes: bytes + size };
}
