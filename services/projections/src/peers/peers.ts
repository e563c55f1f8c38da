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
  /**
   * Waits until no other process caches data that the event at `position` made stale: at most 4 s, if a process died.
   * @returns null if there is nothing to wait for, as always in a single process
   */
  allPassed(position: bigint): Promise<void> | null;
  /** Renews the lease of this process until `signal` aborts, except while nobody has asked for it for some time. */
  follow(signal: AbortSignal): Promise<void>;
};

const announcementChannel = 'gatebook_peers';
const announceEveryMs = lookEveryMs;
/** For how long the other processes wait for a lease. */
const countsMs = 3_000;
/** Shorter than `countsMs`: a process stops serving from its cache before the others stop waiting for it. */
const leaseMs = 2_500;
/** An unused lease ends. The first requests after that do without a cache until the process has joined again. */
const unusedMs = 10_000;
const pollMs = 50;
/** A process that starts deletes the leases of processes that were killed. Any other process renews its lease. */
const forgottenMs = 60_000;
/** For how long a process relies on its list of the others. */
const listMs = 700;
/** Longer than `listMs`: a process begins to cache only when it is in the list of every other process. */
const defaultJoinMs = 900;

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
  /** How long a process announces itself before it caches; shorter only where no other process exists. */
  joinMs?: number;
};

type Peer = { followed: bigint; epoch: string | null };

/** The other processes ($1: this one) that were announced in the last $2 milliseconds. */
const liveOthers = `(select id, followed, epoch from peers.apis
  where id <> $1 and announced_at > clock_timestamp() - $2 * interval '1 millisecond') a`;

/**
 * A process caches under a lease. A process that changes something waits until every process whose lease may still run
 * has followed the log past the change. So no cache shows old data after the change was acknowledged, and requests cost
 * nothing for it.
 */
export async function createPeers(parts: Parts): Promise<Peers> {
  const { pool, listener, tail, id, logger, epoch = () => null, now = () => performance.now() } = parts;
  const { joinMs = defaultJoinMs } = parts;
  /** Epoch of the positions that the tail has followed. After a loss, it is the old one until the tail begins anew. */
  let followedEpoch = epoch();
  let leaseEpoch = epoch();
  let leaseUntil = Number.NEGATIVE_INFINITY;
  /** When the first announcement of this lease was written. */
  let announcedAt: number | null = null;
  /** The head after every other process knew of this lease. Nobody has waited for earlier events. */
  let joinedAt: bigint | null = null;
  /** Leases end early when announcements of others may have been missed. */
  let losses = 0;
  let others = new Map<string, Peer>();
  let listedAt = Number.NEGATIVE_INFINITY;
  let listing: Promise<void> | undefined;
  let usedAt = now();
  let toAnnounce = 0n;
  let isAnnouncing = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resume of waiting) resume();
  };
  const stopListening = await listener.listen(announcementChannel, hear, wake, () => {
    losses += 1;
    endLease();
    listedAt = Number.NEGATIVE_INFINITY;
  });

  tail.add({
    begin: () => {
      followedEpoch = epoch();
      toAnnounce = 0n;
    },
    see: () => undefined,
    end: () => undefined,
  });

  function endLease(): void {
    leaseUntil = Number.NEGATIVE_INFINITY;
    announcedAt = null;
    joinedAt = null;
  }

  function hear(payload: string): void {
    const [from = '', position = '0', ofEpoch = ''] = payload.split(' ');
    if (from === id) return;
    const peer = others.get(from);
    if (peer) pass(peer, { followed: BigInt(position), epoch: ofEpoch === '' ? null : ofEpoch });
    else listQuietly();
    wake();
  }

  function pass(peer: Peer, { followed, epoch }: Peer): void {
    if (peer.epoch !== epoch || followed > peer.followed) peer.followed = followed;
    peer.epoch = epoch;
  }

  /** Runs a query that returns the other processes, and takes them as the list. */
  async function takeList(query: { name: string; text: string; values: unknown[] }): Promise<void> {
    const startedAt = now();
    const lossesBefore = losses;
    const { rows } = await pool.query<Peer & { id: string | null; followed: string }>(query);
    if (losses !== lossesBefore || startedAt < listedAt) return;
    const known = others;
    others = new Map();
    for (const { id: other, followed, epoch: ofEpoch } of rows) {
      if (other === null) continue;
      const listed = { followed: BigInt(followed), epoch: ofEpoch };
      const peer = known.get(other);
      // What was heard can be newer than the list.
      if (peer?.epoch === ofEpoch) pass(listed, peer);
      others.set(other, listed);
    }
    listedAt = startedAt;
    wake();
  }

  const writeAnnouncement = (followed: bigint): Promise<void> =>
    takeList({
      name: 'peers-announce',
      text: `with announced as (
        insert into peers.apis as a (id, followed, epoch, announced_at) values ($1, $3, $5, clock_timestamp())
        on conflict (id) do update set announced_at = excluded.announced_at, epoch = excluded.epoch, followed =
          case when a.epoch is not distinct from excluded.epoch then greatest(a.followed, excluded.followed)
          else excluded.followed end
      ), said as (select pg_notify($4, $6))
      select a.id, a.followed, a.epoch from said left join ${liveOthers} on true`,
      values: [id, countsMs, followed, announcementChannel, followedEpoch, `${id} ${followed} ${followedEpoch ?? ''}`],
    });

  function list(): Promise<void> {
    listing ??= takeList({
      name: 'peers-list',
      text: `select a.id, a.followed, a.epoch from ${liveOthers}`,
      values: [id, countsMs],
    }).finally(() => {
      listing = undefined;
    });
    return listing;
  }

  function listQuietly(): void {
    list().catch((error: unknown) => logger.warn({ err: error }, 'could not read the cache leases'));
  }

  const isListCurrent = () => now() - listedAt <= listMs;

  async function renewLease(): Promise<void> {
    const startedAt = now();
    const lossesBefore = losses;
    if (startedAt >= leaseUntil || leaseEpoch !== epoch()) endLease();
    leaseEpoch = epoch();
    const followed = tail.followed();
    const recent = tail.headWithin(2 * lookEveryMs);
    // A process that does not keep up with the log lets its lease end.
    const isUpToDate = followed !== null && recent !== null && followed >= recent && followedEpoch === epoch();
    if (!isUpToDate) return list();
    await writeAnnouncement(followed);
    if (losses !== lossesBefore) return;
    // The others may have stopped waiting before this announcement was written.
    if (now() >= leaseUntil) endLease();
    leaseUntil = startedAt + leaseMs;
    announcedAt ??= now();
    if (joinedAt === null && now() - announcedAt >= joinMs) await join(lossesBefore);
  }

  async function join(lossesBefore: number): Promise<void> {
    const followed = tail.followed();
    // A look that is already running can be older than the lease.
    await tail.look();
    const head = await tail.look();
    // Below what was followed, the log has lost events, and the next lease is of another epoch.
    if (losses === lossesBefore && head !== null && followed !== null && head >= followed) joinedAt = head;
  }

  async function writeAnnouncements(): Promise<void> {
    isAnnouncing = true;
    try {
      let written = -1n;
      while (toAnnounce > written) {
        written = toAnnounce;
        await writeAnnouncement(written);
      }
    } catch (error) {
      logger.warn({ err: error }, 'could not announce the followed position');
    } finally {
      isAnnouncing = false;
    }
  }

  /** Whether every process with a lease has passed `position`. False if the processes are not known. */
  function areAllPast(position: bigint): boolean {
    if (!isListCurrent()) return false;
    for (const peer of others.values()) if (peer.epoch !== epoch() || peer.followed < position) return false;
    return true;
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

  async function waitUntilPast(position: bigint): Promise<void> {
    // By then, all leases have ended that were not renewed after the event.
    const end = now() + countsMs + 1_000;
    if (!isListCurrent()) await list().catch(() => undefined);
    while (!areAllPast(position) && now() <= end) {
      await nextAnnouncement();
      if (!areAllPast(position) && now() - listedAt >= pollMs) listQuietly();
    }
  }

  return {
    canCache: () => {
      usedAt = now();
      const followed = tail.followed();
      return (
        now() < leaseUntil && leaseEpoch === epoch() && joinedAt !== null && followed !== null && followed >= joinedAt
      );
    },
    announce: (position) => {
      if (position > toAnnounce) toAnnounce = position;
      // Nobody waits. A process that joins reads the next renewal.
      if (others.size === 0 && isListCurrent()) return;
      if (!isAnnouncing) void writeAnnouncements();
    },
    allPassed: (position) => {
      usedAt = now();
      return areAllPast(position) ? null : waitUntilPast(position);
    },
    follow: async (signal) => {
      await forgetOld(pool, logger);
      while (!signal.aborted) {
        if (now() - usedAt < unusedMs) {
          await renewLease().catch((error: unknown) => logger.warn({ err: error }, 'could not renew the cache lease'));
        }
        await pause(announceEveryMs, signal);
      }
      endLease();
      await stopListening();
      await pool.query('delete from peers.apis where id = $1', [id]).catch(() => undefined);
    },
  };
}

async function forgetOld(pool: Pool, logger: Logger): Promise<void> {
  try {
    await pool.query(`delete from peers.apis where announced_at < clock_timestamp() - $1 * interval '1 millisecond'`, [
      forgottenMs,
    ]);
  } catch (error) {
    logger.warn({ err: error }, 'could not delete old cache leases');
  }
}
