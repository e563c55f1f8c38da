import type { DomainEvent } from '@gatebook/domain/event';
import type { Codec, EncodedWrite } from '../codec.ts';
import { NO_STREAM, type StateFold } from '../port.ts';
import { canBeStored, decryptSnapshot, encryptSnapshot, type SnapshotStore } from './snapshots.ts';
import { createStateCache, type RememberedState } from './state-cache.ts';

export type StateSettings = {
  /** Without them, a new process reads every stream from its first event. */
  snapshots?: SnapshotStore;
  /** For the states in memory. */
  maxBytes?: number;
  onSnapshotError?: (error: unknown) => void;
};

const defaultMaxBytes = 33_554_432;
/** A snapshot is saved when the last one is this many events old. */
const snapshotEvery = 50;
const maxPendingSnapshots = 8;

export type RememberedStates = ReturnType<typeof createRememberedStates>;

/** The states that folds ended in: in memory, and of long streams also as snapshots (docs/decisions/0057). */
export function createRememberedStates({ keyring, hasLarge, subjectOf }: Codec, settings: StateSettings) {
  const { snapshots, maxBytes = defaultMaxBytes, onSnapshotError = () => undefined } = settings;
  const cache = createStateCache(maxBytes);
  const saving = new Map<string, Promise<void>>();
  keyring.onErased((erased) => {
    if (erased === null) cache.clear();
    else if ('subjectId' in erased) cache.deleteSubject(erased.subjectId);
    else for (const subject of cache.subjects()) if (!keyring.hasKey(subject)) cache.deleteSubject(subject);
  });

  async function saveSnapshot(stream: string, { version, ...remembered }: RememberedState): Promise<void> {
    const { revision, eventId, state, context } = remembered;
    if (!snapshots || version === undefined || eventId === null) return;
    const snapshot = await encryptSnapshot(keyring, { stream, revision, version, eventId, state, context });
    if (snapshot) await snapshots.save(snapshot);
    const current = cache.get(stream);
    if (current) current.snapshotAt = revision;
  }

  /** Callers do not wait for it. */
  function startSnapshot(stream: string, remembered: RememberedState): void {
    const { revision, snapshotAt, version, context } = remembered;
    if (!snapshots || version === undefined || revision - snapshotAt < snapshotEvery) return;
    if (!canBeStored(context) || saving.has(stream) || saving.size === maxPendingSnapshots) return;
    const saved = saveSnapshot(stream, remembered).catch(onSnapshotError);
    saving.set(
      stream,
      saved.finally(() => saving.delete(stream)),
    );
  }

  /** `since`: of `clears` before the state was read. Forgets data of subjects that were erased meanwhile. */
  function remember(stream: string, remembered: RememberedState, since: number): void {
    if (remembered.revision === NO_STREAM) return;
    for (const subject of remembered.context.subjects) if (!keyring.hasKey(subject)) return;
    cache.set(stream, remembered, since);
    startSnapshot(stream, remembered);
  }

  return {
    /** A state in memory counts only while the keys of its subjects can be used. */
    recall: async <S>(stream: string, { evolve }: StateFold<S, never>): Promise<RememberedState<S> | undefined> => {
      const known = cache.get(stream);
      if (!known || known.evolve !== evolve) return undefined;
      const subjects = [...known.context.subjects];
      const keys = subjects.length > 0 ? await keyring.open(subjects) : undefined;
      if (subjects.every((subject) => keys?.get(subject))) return known as RememberedState<S>;
      cache.delete(stream);
      return undefined;
    },
    /** The caller checks that the log still has the event of the snapshot. */
    loadSnapshot: async <S>(
      stream: string,
      { evolve, stateVersion: version }: StateFold<S, never>,
    ): Promise<RememberedState<S> | undefined> => {
      if (!snapshots || version === undefined) return undefined;
      const stored = await snapshots.load(stream, version);
      const snapshot = stored && (await decryptSnapshot(keyring, stored));
      if (!snapshot) return undefined;
      const { revision, eventId, context } = snapshot;
      const state = snapshot.state as S;
      return { state, revision, eventId, evolve, version, context, snapshotAt: revision, isOutdated: false };
    },
    /** For a snapshot whose event the log has lost, because it would keep out snapshots of lower revisions. */
    deleteSnapshot: async (stream: string, { eventId }: RememberedState): Promise<void> => {
      if (eventId !== null) await snapshots?.delete(stream, eventId).catch(onSnapshotError);
    },
    remember,
    /** Continues states with the events that this process appended. */
    advance: (writes: readonly EncodedWrite[], since: number): void => {
      for (const { stream, expected, events, decoded } of writes) {
        const known = cache.get(stream);
        const last = events.at(-1);
        const revision = expected + BigInt(events.length);
        // A fold may have read the events already.
        if (!known || !last || known.revision >= revision) continue;
        known.isOutdated = true;
        // Large values are read from the log, so that the state has placeholders for them.
        if (known.revision !== expected || events.some(hasLarge)) continue;
        const evolve = known.evolve as (state: unknown, event: DomainEvent) => unknown;
        const subjects = new Set([...known.context.subjects, ...events.flatMap(subjectOf)]);
        const advanced = {
          ...known,
          state: decoded.reduce(evolve, known.state),
          revision,
          eventId: last.id,
          context: { ...known.context, subjects },
          isOutdated: false,
        };
        remember(stream, advanced, since);
      }
    },
    /** The streams may have events that this process has not seen. */
    doubt: (streams: readonly string[]): void => {
      for (const stream of streams) {
        const known = cache.get(stream);
        if (known) known.isOutdated = true;
      }
    },
    forget: cache.clear,
    clears: cache.clears,
    /** Approximate size of the states in memory. */
    bytes: cache.bytes,
    /** Resolves when no snapshot is being saved. */
    idle: async () => void (await Promise.all(saving.values())),
  };
}
