import type { Recorded } from '@gatebook/domain/event';
import type { Listener } from '@gatebook/runtime/listener';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import type { Codec, StoredRecord } from '../codec.ts';
import { decodeAll, decodeProjects } from '../decode-pages.ts';
import { maxPageBytes } from '../max-page-bytes.ts';
import { createNewest } from '../newest.ts';
import { pauseAfter } from '../pause-after.ts';
import type { EventStore, Unneeded } from '../port.ts';
import type { StateSettings } from '../states/remembered-states.ts';
import { createStreams, type StreamPage } from '../streams.ts';
import { createSharedReader } from '../subscriptions/shared-reader.ts';
import { createCommitBatch } from './commit-batch.ts';
import { isConnectionLost } from './connection.ts';
import { epochText } from './epochs.ts';
import { createGroupCommit } from './group-commit.ts';
import { createRepeatableQuery } from './repeatable-query.ts';

const headText = 'select position from log.events order by position desc limit 1';
const appendedChannel = 'gatebook_log';
const pageSize = 1000;
/** The log is read this often without a notification, in case one is lost. */
const pollMs = 2000;
/** A notification can overtake the response to this process's own append, whose events need not be read. */
const responseMs = 100;
const beyondAll = 2n ** 63n - 1n;

type Row = Omit<StoredRecord, 'revision' | 'position' | 'committedAt'> & {
  revision: string;
  position: string;
  committedAt: Date;
};
const columns =
  'position, stream, revision, id, type, version, data, encrypted, metadata, committed_at as "committedAt"';

/**
 * SQL for a page of events that is bounded by their stored size too, but has at least one event. `found` is their
 * number without that bound. `skipped`: condition of events that are not sent.
 */
const pageOf = (which: string, order: string, skipped = 'false') => `
  select * from (
    select *, count(*) over ()::int as found,
      sum(bytes) over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select *, case when ${skipped} then 0
        else pg_column_size(data) + coalesce(pg_column_size(encrypted), 0) + pg_column_size(metadata) end as bytes
      from log.events ${which}) events
  ) events
  where bytes_before is null or bytes_before + bytes <= ${maxPageBytes} order by ${order}`;

const followText = `select ${columns} from (${pageOf('where position > $1 order by position limit $2', 'position')}) page`;

/**
 * The log in Postgres: appends by group commit, ordered reads, and subscriptions woken by notifications. Give it its
 * own `pool`, so that appends do not wait for other queries.
 */
export async function createPostgresEventStore(parts: {
  pool: Pool;
  listener: Listener;
  codec: Codec;
  /** Gets the number of appends of each batch. */
  onBatch?: (appends: number) => void;
  states?: StateSettings;
}): Promise<EventStore & { close(): Promise<void> }> {
  const { pool, listener, codec, onBatch, states } = parts;
  const read = createRepeatableQuery(pool);
  const newest = createNewest();
  const reader = createSharedReader({ head, follow, isConnectionLost }, codec);
  const commitBatch = createCommitBatch(pool, { onCommitted: reader.add });
  let committing: Promise<unknown> | null = null;
  const groupCommit = createGroupCommit((batch) => {
    const committed = commitBatch(batch).finally(() => {
      committing = null;
    });
    committing = committed;
    return committed;
  }, onBatch);
  const stopListening = await listener.listen(
    appendedChannel,
    (position) => newest.announce(BigInt(position)),
    newest.wake,
  );

  async function readAll(after: bigint, limit: number, unneeded?: Unneeded): Promise<readonly Recorded[]> {
    const page = pageOf('where position > $1 order by position limit $2', 'position', 'type = any ($3::text[])');
    const text = `select ${columns}
      from (select *, lead(position) over (order by position) is null as is_last from (${page}) page) page
      where is_last or type <> all ($3::text[])`;
    return decodePage(await read<Row>('log-read-all', text, [after, limit, [...(unneeded?.types ?? [])]]), unneeded);
  }

  /** Decodes as many rows as fit into memory with their large values. */
  async function decodePage(rows: readonly Row[], unneeded?: Unneeded): Promise<readonly Recorded[]> {
    const [page = []] = codec.pages(rows.map(toRecord), unneeded);
    return codec.decode(page, unneeded);
  }

  async function readPage(stream: string, after: bigint, limit = pageSize): Promise<StreamPage> {
    const text = `select ${columns}, found from (${pageOf(
      `where stream = $1 and revision > $2
         and position >= coalesce((select first_position from log.streams where stream = $1), 0)
       order by revision limit $3`,
      'revision',
    )}) page`;
    const rows = await read<Row & { found: number }>('log-read-stream', text, [stream, after, limit]);
    const found = rows[0]?.found ?? 0;
    const revision = BigInt(rows.at(-1)?.revision ?? after);
    return { records: rows.map(toRecord), revision, isLast: found < limit && rows.length === found };
  }

  /** Reads once after each announcement of events that are not known yet. */
  async function* follow(position: () => bigint, signal: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    /** There was nothing to read when this was the newest position. */
    let foundNothingAt = 0n;
    while (!signal.aborted) {
      const seen = largest(position(), foundNothingAt);
      const outcome = await newest.above(seen, signal, pollMs);
      if (outcome === 'announced' && committing) await Promise.race([committing, pause(responseMs)]);
      if (outcome === 'announced' && newest.position() <= position()) continue;
      const known = newest.position();
      const records = await readPersistently(position(), signal);
      if (signal.aborted) return;
      if (records.length > 0) yield records;
      else foundNothingAt = outcome === 'announced' ? known : 0n;
    }
  }

  /** Waits while the server restarts. */
  async function readPersistently(after: bigint, signal: AbortSignal): Promise<readonly StoredRecord[]> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        return (await read<Row>('log-follow', followText, [after, pageSize])).map(toRecord);
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        await pauseAfter(failures, signal);
      }
    }
    return [];
  }

  async function head(): Promise<bigint> {
    const [row] = await read<{ position: string }>('log-head', headText, []);
    const position = BigInt(row?.position ?? 0);
    newest.announce(position);
    return position;
  }

  const streams = createStreams(
    codec,
    {
      readPage,
      commit: async (writes) => {
        const appended = await groupCommit.append(writes);
        newest.announce(appended.position);
        return appended;
      },
    },
    states,
  );

  return {
    ...streams,
    revisionsOf: async (names) => {
      // An archived stream is not in log.streams.
      const text = `select given.stream, coalesce(s.revision,
          (select max(e.revision) from log.events e where e.stream = given.stream), -1) as revision
        from unnest($1::text[]) as given (stream) left join log.streams s using (stream)`;
      const rows = await read<{ stream: string; revision: string }>('log-revisions', text, [names]);
      return new Map(rows.map(({ stream, revision }) => [stream, BigInt(revision)]));
    },
    readAll,
    readProjects: async (projectIds, after, limit, unneeded) => {
      // Read the head first: whatever is added later may be missing from the page.
      const newestBefore = await head();
      const text = `select ${columns} from unnest($1::text[]) project cross join lateral (
          select * from log.events where project_id = project and position > $2 order by position limit $3) events
        order by position limit $3`;
      const records = (await read<Row>('log-read-projects', text, [projectIds, after, limit])).map(toRecord);
      return decodeProjects(codec, { records, after, head: newestBefore, isAtEnd: records.length < limit, unneeded });
    },
    readAt: async (positions, unneeded) => {
      const text = `select ${columns} from unnest($1::bigint[]) with ordinality given (at, place)
        cross join lateral (select * from log.events where position = given.at) events order by place`;
      return decodeAll(codec, (await read<Row>('log-read-at', text, [positions])).map(toRecord), unneeded);
    },
    readEarlier: async (events, unneeded) => {
      const text = `select ${columns} from (
          select g.*, s.first_position from unnest($1::text[], $2::bigint[]) with ordinality g (name, before, place)
          left join log.streams s on s.stream = g.name) given
        cross join lateral (select * from log.events where stream = given.name and revision < given.before
          and position >= coalesce(given.first_position, 0) order by revision) events
        order by place, revision`;
      const values = [events.map(({ stream }) => stream), events.map(({ revision }) => revision)];
      return decodeAll(codec, (await read<Row>('log-read-earlier', text, values)).map(toRecord), unneeded);
    },
    readBack: async (before, limit) => {
      const text = `select ${columns} from (${pageOf('where position < $1 order by position desc limit $2', 'position desc')}) page`;
      return decodePage(await read<Row>('log-read-back', text, [before ?? beyondAll, limit]));
    },
    subscribe: reader.subscribe,
    head,
    identify: async (position) => {
      const [row] = await read<{ id: string }>('log-identify', 'select id from log.events where position = $1', [
        position,
      ]);
      return row?.id ?? null;
    },
    glance: async (position) => {
      const text = `select coalesce((${headText}), 0) as head, (select id from log.events where position = $1) as id,
        (${epochText}) as epoch`;
      const [row] = await read<{ head: string; id: string | null; epoch: string | null }>('log-glance', text, [
        position,
      ]);
      if (!row?.epoch) throw new Error('the log has no epoch');
      newest.announce(BigInt(row.head));
      return { head: BigInt(row.head), id: row.id, epoch: row.epoch };
    },
    forget: () => {
      streams.forget();
      newest.reset();
      reader.reset();
    },
    checkAppends: async (timeoutMs) => {
      const { rows } = await pool.query<{ isReadOnly: boolean }>(
        `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
      );
      if (rows[0]?.isReadOnly) return 'read-only';
      try {
        // Waits for its turn among appends, and ends at once.
        await pool.query(lockText, [String(timeoutMs)]);
        return 'ok';
      } catch (error) {
        if (isLockTimeout(error)) return 'blocked';
        throw error;
      }
    },
    close: async () => {
      await groupCommit.idle();
      await streams.idle();
      await stopListening();
    },
  };
}

/** The lock of `log.lock()`, which only appends may call. */
const lockText = `select set_config('lock_timeout', $1, true), pg_advisory_xact_lock('log.events'::regclass::int, 0)`;
const isLockTimeout = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03';

const largest = (one: bigint, other: bigint) => (one > other ? one : other);

function toRecord(row: Row): StoredRecord {
  return {
    ...row,
    revision: BigInt(row.revision),
    position: BigInt(row.position),
    committedAt: row.committedAt.toISOString(),
  };
}
