import type { KeyObject } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { LargeValue } from '../decode-record.ts';
import type { FoldContext } from '../decoder.ts';
import { decryptBytes, encryptBytes } from '../encryption/cipher.ts';
import type { Keyring } from '../encryption/keyring.ts';

/** The state of a stream at a revision, as it is stored. `content` is encrypted under the subject, if there is one. */
export type Snapshot = {
  stream: string;
  revision: bigint;
  /** Names the code that folded the state. */
  version: string;
  /** ID of the event at `revision`: the log may have lost that event. */
  eventId: string;
  subjectId: string | null;
  content: Buffer;
};

/** Where snapshots are stored, outside the log. They can be deleted at any time. */
export type SnapshotStore = {
  /** @returns null if there is no snapshot of this version */
  load(stream: string, version: string): Promise<Snapshot | null>;
  /** Replaces an older snapshot of the stream. Stores nothing for an erased subject. */
  save(snapshot: Snapshot): Promise<void>;
  /** Deletes the snapshot of a stream if it ends with this event. */
  delete(stream: string, eventId: string): Promise<void>;
};

/** A snapshot before it is encrypted. */
export type SnapshotDraft = Pick<Snapshot, 'stream' | 'revision' | 'version' | 'eventId'> & {
  state: unknown;
  context: FoldContext;
};
type Content = { state: unknown; large: readonly (readonly [string, Omit<LargeValue, 'key'>])[] };

/** A state with data of several subjects cannot be encrypted so that erasing any of them makes it unreadable. */
export const canBeStored = ({ subjects }: FoldContext) => subjects.size <= 1;

/** @returns null if the subject is erased */
export async function encryptSnapshot(keyring: Keyring, draft: SnapshotDraft): Promise<Snapshot | null> {
  const { state, context, ...rest } = draft;
  const [subjectId = null] = context.subjects;
  const large = [...context.large].map(([placeholder, { key: _, ...value }]) => [placeholder, value] as const);
  const plain = serialize({ state, large } satisfies Content);
  if (subjectId === null) return { ...rest, subjectId, content: plain };
  const key = (await keyring.open([subjectId])).get(subjectId);
  return key ? { ...rest, subjectId, content: encryptBytes(key, plain, associatedWith(rest)) } : null;
}

/** @returns null if the snapshot cannot be read: its subject is erased, or an incompatible Node.js wrote it */
export async function decryptSnapshot(keyring: Keyring, snapshot: Snapshot): Promise<SnapshotDraft | null> {
  const { subjectId, content, ...rest } = snapshot;
  let key: KeyObject | null = null;
  if (subjectId !== null) {
    key = (await keyring.open([subjectId])).get(subjectId) ?? null;
    if (key === null) return null;
  }
  try {
    const plain = key ? decryptBytes(key, content, associatedWith(rest)) : content;
    const { state, large } = deserialize(plain) as Content;
    const keyOf = ({ reference }: Omit<LargeValue, 'key'>) => (reference.isPersonal ? key : null);
    const context: FoldContext = {
      subjects: new Set(subjectId === null ? [] : [subjectId]),
      large: new Map(large.map(([placeholder, value]) => [placeholder, { ...value, key: keyOf(value) }])),
    };
    return { ...rest, state, context };
  } catch {
    return null;
  }
}

const associatedWith = ({ stream, revision, version, eventId }: Omit<Snapshot, 'subjectId' | 'content'>) =>
  JSON.stringify(['snapshot', stream, String(revision), version, eventId]);

/** For tests: snapshots live as long as the process, also those of erased subjects. */
export function createMemorySnapshotStore(): SnapshotStore & { readonly saved: ReadonlyMap<string, Snapshot> } {
  const saved = new Map<string, Snapshot>();
  return {
    saved,
    load: async (stream, version) => {
      const found = saved.get(stream);
      return found?.version === version ? found : null;
    },
    save: async (snapshot) => {
      const known = saved.get(snapshot.stream);
      if (known?.version !== snapshot.version || known.revision < snapshot.revision) {
        saved.set(snapshot.stream, snapshot);
      }
    },
    delete: async (stream, eventId) => {
      if (saved.get(stream)?.eventId === eventId) saved.delete(stream);
    },
  };
}
