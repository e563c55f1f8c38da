import type { DomainEvent, Metadata, Recorded } from '@gatebook/domain/event';
import type { Listener } from '@gatebook/runtime/listener';
import type { Pool } from '@gatebook/runtime/postgres';
import type { Codec, StoredRecord } from '../codec.ts';
import { type EventStore, NO_STREAM } from '../port.ts';
import { createCommitBatch } from './commit-batch.ts';
import { createGroupCommit } from './group-commit.ts';

const appendedChannel = 'gatebook_log';
const pageSize = 1000;
/** Readers look by themselves this often, should a notification get lost. */
const pollMs = 1000;

type Row = Omit<StoredRecord, 'revision' | 'position'> & { revision: string; position: string; metadata: Metadata };
const columns = 'position, stream, revision, id, type, version, data, sealed, metadata';

/** The log in Postgres: appends by group commit, reads in order, readers woken by notification. */
export async function createPostgresEventStore(parts: {
  pool: Pool;
  listener: Listener;
  codec: Codec;
}): Promise<EventStore & { close(): Promise<void> }> {
  const { pool, listener, codec } = parts;
  const commit = createGroupCommit(createCommitBatch(pool));
  const waiting = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of waiting) wake();
  };
  const stopListening = await listener.listen(appendedChannel, wakeAll, wakeAll);

  async function readAll(after: bigint, limit: number): Promise<readonly Recorded[]> {
    const { rows } = await pool.query<Row>({
      name: 'log-read-all',
      text: `select ${columns} from log.events where position > $1 order by position limit $2`,
      values: [after, limit],
    });
    return codec.decode(rows.map(toRecord));
  }

  /** Resolves at the next append, at abort, or after `pollMs`. */
  function appended(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        waiting.delete(wake);
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, pollMs);
      waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  return {
    readStream: async <E extends DomainEvent>(stream: string) => {
      const { rows } = await pool.query<Row>({
        name: 'log-read-stream',
        text: `select ${columns} from log.events where stream = $1 order by revision`,
        values: [stream],
      });
      const events = (await codec.decode(rows.map(toRecord))) as readonly Recorded<E>[];
      return { events, revision: events.at(-1)?.revision ?? NO_STREAM };
    },
    append: async (writes, metadata) => commit(await codec.encode(writes, metadata)),
    readAll,
    subscribe: async function* (after, signal) {
      let position = after;
      while (!signal.aborted) {
        const woken = new AbortController();
        // Waiting starts before reading, so that an append in between is not slept through.
        const next = appended(AbortSignal.any([signal, woken.signal]));
        const batch = await readAll(position, pageSize);
        const last = batch.at(-1);
        if (last) {
          woken.abort();
          position = last.position;
          yield batch;
        } else await next;
      }
    },
    head: async () => {
      const { rows } = await pool.query<{ position: string }>({
        name: 'log-head',
        text: 'select position from log.head',
      });
      return BigInt(rows[0]?.position ?? 0);
    },
    close: stopListening,
  };
}

function toRecord(row: Row): StoredRecord {
  return { ...row, revision: BigInt(row.revision), position: BigInt(row.position) };
}
