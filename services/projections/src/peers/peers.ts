import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import { migrate, type Pool } from '@gatebook/runtime/postgres';
import { type LogTail, lookEveryMs } from '../log-tail.ts';

/** All API processes that cache data of the read models. */
export type Peers = {
  /** Whether the other processes wait for this one. Only then can it serve from its cache. */
  canCache(): boolean;
  /** Announces that this process has dropped all cache entries that events up to `position` made stale. */
  announce(position: bigint): void;
  /** Waits until no process caches data that the event at `position` made stale: at most 4 s, if a process died. */
  allPassed(position: bigint): Promise<void>;
  /** Renews the lease of this process until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>;
};

const announcementChannel = 'gatebook_peers';
const announceEveryMs = lookEveryMs;
/** For how long the other processes wait for a lease. */
const countsMs = 3_000;
/** Shorter than `countsMs`: a process stops serving from its cache before the others stop waiting for it. */
const leaseMs = 2_500;
const pollMs = 50;

export async function migratePeers(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'peers');
}

type Parts = {
  pool: Pool;
  listener: Listener;
  tail: LogTail;
  /** UUID of this process. */
  id: string;
  logger: Logger;
  /** Epoch of the log; it changes when the log has lost events. */
  epoch?: () => string | null;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
};

/**
 * A process caches under a lease. A process that changes something waits until every process whose lease may still run
 * has followed the log past the change. So no cache shows old data after the change was acknowledged, and requests cost
 * nothing for it.
 */
export async function createPeers(parts: Parts): Promise<Peers> {
  const { pool, listener, tail, id, logger, epoch = () => null, now = () => performance.now() } = parts;
  let leaseEpoch = epoch();
  let leaseUntil = Number.NEGATIVE_INFINITY;
  /** The head after the first announcement of this lease. Nobody has waited for earlier events. */
  let joinedAt: bigint | null = null;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resume of waiting) resume();
  };
  const stopListening = await listener.listen(announcementChannel, wake, wake);

  async function writeAnnouncement(followed: bigint): Promise<void> {
    await pool.query({
      name: 'peers-announce',
      text: `with announced as (
        insert into peers.apis as a (id, followed, epoch, announced_at) values ($1, $2, $4, clock_timestamp())
        on conflict (id) do update set announced_at = excluded.announced_at, epoch = excluded.epoch, followed =
          case when a.epoch is not distinct from excluded.epoch then greatest(a.followed, excluded.followed)
          else excluded.followed end
      ) select pg_notify($3, '')`,
      values: [id, followed, announcementChannel, epoch()],
    });
  }

  async function renewLease(): Promise<void> {
    const startedAt = now();
    if (startedAt >= leaseUntil || leaseEpoch !== epoch()) joinedAt = null;
    leaseEpoch = epoch();
    const followed = tail.followed();
    const recent = tail.headWithin(2 * lookEveryMs);
    // A process that does not keep up with the log lets its lease end.
    if (followed === null || recent === null || followed < recent) return;
    await writeAnnouncement(followed);
    leaseUntil = startedAt + leaseMs;
    joinedAt ??= await tail.look();
  }

  async function areAllPast(position: bigint): Promise<boolean> {
    const { rows } = await pool.query<{ isPast: boolean }>({
      name: 'peers-passed',
      text: `select not exists (
        select from peers.apis
        where id <> $1 and (followed < $2 or epoch is distinct from $4::uuid)
          and announced_at > clock_timestamp() - $3 * interval '1 millisecond'
      ) as "isPast"`,
      values: [id, position, countsMs, epoch()],
    });
    return rows[0]?.isPast ?? true;
  }

  function nextAnnouncement(): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        waiting.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, pollMs);
      waiting.add(resume);
    });
  }

  return {
    canCache: () => {
      const followed = tail.followed();
      return (
        now() < leaseUntil && leaseEpoch === epoch() && joinedAt !== null && followed !== null && followed >= joinedAt
      );
    },
    announce: (position) => {
      writeAnnouncement(position).catch((error: unknown) =>
        logger.warn({ err: error }, 'could not announce the followed position'),
      );
    },
    allPassed: async (position) => {
      const end = now() + countsMs + 1_000;
      for (;;) {
        const announcement = nextAnnouncement();
        if ((await areAllPast(position)) || now() > end) return;
        await announcement;
      }
    },
    follow: async (signal) => {
      while (!signal.aborted) {
        await renewLease().catch((error: unknown) => logger.warn({ err: error }, 'could not renew the cache lease'));
        await pause(announceEveryMs, signal);
      }
      leaseUntil = Number.NEGATIVE_INFINITY;
      await stopListening();
      await pool.query('delete from peers.apis where id = $1', [id]).catch(() => undefined);
    },
  };
}
