import { randomBytes, randomUUID } from 'node:crypto';
import type { Recorded } from '@gatebook/domain/event';
import { newEventId } from '@gatebook/runtime/ids';
import { type Codec, createCodec, type StoredRecord } from '../../codec.ts';
import { createKeyring } from '../../encryption/keyring.ts';
import { createMemoryKeyStore } from '../../encryption/memory-key-store.ts';
import { createMemoryBlobStore } from '../../large-values/blob-store.ts';
import { createNewest } from '../../newest.ts';
import { NO_STREAM, type SubscriptionOptions } from '../../port.ts';
import { metadata, notesCatalog } from '../../testing/notes.ts';
import { createSharedReader, type LogSource, type SharedReader } from '../shared-reader.ts';

const pageSize = 10;

export type Following = { batches: (readonly Recorded[])[]; texts(): unknown[]; end(): void; ended: Promise<unknown> };
export type SharedLog = Awaited<ReturnType<typeof createSharedLog>>;

/** A log in memory that counts what is read and decoded. Use one per test. */
export async function createSharedLog() {
  const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });
  const inner = createCodec({ catalog: notesCatalog, keyring, blobs: createMemoryBlobStore(), newEventId });
  const codec: Codec = {
    ...inner,
    decode: (page, unneeded) => {
      state.decoded += page.length;
      return inner.decode(page, unneeded);
    },
  };
  const newest = createNewest();
  const records: StoredRecord[] = [];
  /** Positions after which the log was read. */
  const reads: bigint[] = [];
  /** `failure`: of the next read. */
  const state = { decoded: 0, failure: null as Error | null };
  const closers: (() => void)[] = [];

  const source: LogSource = {
    head: async () => BigInt(records.length),
    follow: async function* (position, signal) {
      while (!signal.aborted) {
        if (state.failure) throw state.failure;
        const from = position();
        const page = records.slice(Number(from), Number(from) + pageSize);
        if (page.length > 0) {
          reads.push(from);
          yield page;
        } else await newest.above(position(), signal);
      }
    },
    isConnectionLost: () => false,
  };
  const openReader = (limits = { maxRecords: 2_000, maxBytes: 1_000_000 }) => createSharedReader(source, codec, limits);

  async function store(...events: { type: string; data: Record<string, unknown> }[]): Promise<StoredRecord[]> {
    const writes = [{ stream: `note-${randomUUID()}`, expected: NO_STREAM, events }];
    const [write] = await codec.encode(writes, metadata);
    const committedAt = '2026-01-01T00:00:00.000Z';
    const stored = (write?.events ?? []).map(
      (event, index): StoredRecord => ({
        ...event,
        revision: BigInt(index),
        position: BigInt(records.length + index + 1),
        committedAt,
      }),
    );
    records.push(...stored);
    return stored;
  }
  /** As another process does. */
  async function append(...texts: string[]): Promise<void> {
    await store(...texts.map(note));
    newest.announce(BigInt(records.length));
  }

  function follow(
    reader: SharedReader,
    after = 0n,
    options?: SubscriptionOptions,
    onBatch = async () => {},
  ): Following {
    const stopping = new AbortController();
    const batches: (readonly Recorded[])[] = [];
    const ended = (async () => {
      for await (const batch of reader.subscribe(after, stopping.signal, options)) {
        batches.push(batch);
        await onBatch();
      }
    })().catch((error: unknown) => error);
    closers.push(() => stopping.abort());
    const texts = () => batches.flat().map(({ data }) => data.text);
    return { batches, texts, end: () => stopping.abort(), ended };
  }

  const close = (): void => {
    for (const end of closers.splice(0)) end();
  };
  return { keyring, newest, records, reads, state, openReader, store, append, follow, close };
}

export const note = (text: string) => ({ type: 'Noted', data: { text } });
export const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);
