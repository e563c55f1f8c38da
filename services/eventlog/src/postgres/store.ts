import type { DomainEvent, Metadata, Recorded } from '@gatebook/domain/event';
import type { Listener } from '@gatebook/runtime/listener';
import type { Pool } from '@gatebook/runtime/postgres';
import type { Codec, StoredRecord } from '../codec.ts';
import { createNewest } from '../newest.ts';
import { pauseAfter } from '../pause-after.ts';
import { type EventStore, NO_STREAM, type Unneeded } from '../port.ts';
import { createCommitBatch } from './commit-batch.ts';
import { isConnectionLost } from './connection.ts';
import { createGroupCommit } from './group-commit.ts';

const appendedChannel = 'gatebook_log';
const pageSize = 1000;
/** Subscriptions poll this often, in case a notification is lost. */
const pollMs = 1000;
const maxReadAttempts = 4;
const beyondAll = 2n ** 63n - 1n;

type Row = Omit<StoredRecord, 'revision' | 'position'> & { revision: string; position: string; metadata: Metadata };
const columns = 'position, stream, revision, id, type, version, data, encrypted, metadata';

/**
 * The log in Postgres: appends by group commit, ordered reads, and subscriptions woken by notifications. Give it its
 * own `pool`, so that appends do not wait for other queries.
 */
export async function createPostgresEventStore(parts: {
  pool: Pool;
  listener: Listener;
  codec: Codec;
}): Promise<EventStore & { close(): Promise<void> }> {
  const { pool, listener, codec } = parts;
  const groupCommit = createGroupCommit(createCommitBatch(pool));
  const newest = createNewest();
  const stopListening = await listener.listen(
    appendedChannel,
    (position) => newest.announce(BigInt(position)),
    newest.wake,
  );

  /** Reads can be repeated after a broken connection. */
  async function read<R extends object>(name: string, text: string, values: readonly unknown[]): Promise<R[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await pool.query<R>({ name, text, values: [...values] })).rows;
      } catch (error) {
        if (!isConnectionLost(error) || attempt === maxReadAttempts) throw error;
        await pauseAfter(attempt);
      }
    }
  }

  async function readAll(after: bigint, limit: number, unneeded?: Unneeded): Promise<readonly Recorded[]> {
    const text = `select ${columns} from log.events where position > $1 order by position limit $2`;
    if (!unneeded?.types) {
      return codec.decode((await read<Row>('log-read-all', text, [after, limit])).map(toRecord), unneeded);
    }
    const needed = `select ${columns}
      from (select *, lead(position) over (order by position) is null as is_last from (${text}) page) page
      where is_last or type <> all ($3::text[])`;
    const rows = await read<Row>('log-read-needed', needed, [after, limit, [...unneeded.types]]);
    return codec.decode(rows.map(toRecord), unneeded);
  }

  /** A subscription survives restarts of the server. */
  async function readPersistently(after: bigint, signal: AbortSignal): Promise<readonly Recorded[]> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        return await readAll(after, pageSize);
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        await pauseAfter(failures, signal);
      }
    }
    return [];
  }

  return {
    readStream: async <E extends DomainEvent>(stream: string) => {
      const text = `select ${columns} from log.events where stream = $1 order by revision`;
      const rows = await read<Row>('log-read-stream', text, [stream]);
      const events = (await codec.decode(rows.map(toRecord))) as readonly Recorded<E>[];
      return { events, revision: events.at(-1)?.revision ?? NO_STREAM };
    },
    append: async (writes, metadata) => {
      const appended = await groupCommit.append(await codec.encode(writes, metadata));
      newest.announce(appended.position);
      return appended;
    },
    readAll,
    readBack: async (before, limit) => {
      const text = `select ${columns} from log.events where position < $1 order by position desc limit $2`;
      return codec.decode((await read<Row>('log-read-back', text, [before ?? beyondAll, limit])).map(toRecord));
    },
    subscribe: async function* (after, signal) {
      let position = after;
      while (!signal.aborted) {
        // Remember the position before reading, so that an append in between is not missed.
        const seen = newest.position();
        const batch = await readPersistently(position, signal);
        const last = batch.at(-1);
        if (signal.aborted) return;
        if (last) {
          yield batch;
          position = last.position;
        } else await newest.above(seen, signal, pollMs);
      }
    },
    head: async () => {
      const [row] = await read<{ position: string }>('log-head', 'select position from log.head', []);
      return BigInt(row?.position ?? 0);
    },
    close: async () => {
      await groupCommit.idle();
      await stopListening();
    },
  };
}

function toRecord(row: Row): StoredRecord {
  return { ...row, revision: BigInt(row.revision), position: BigInt(row.position) };
}
