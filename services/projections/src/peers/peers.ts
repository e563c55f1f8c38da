import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import { migrate, type Pool } from '@gatebook/runtime/postgres';
import { type LogTail, lookEveryMs } from '../log-tail.ts';

/** All API processes, as far as they keep in memory what the log makes stale. */
export type Peers = {
  /** Whether the others wait for this process; only then may it answer from memory. */
  mayRemember(): boolean;
  /** Tells the others that this process has dropped from memory what events up to here made stale. */
  say(position: bigint): void;
  /** Waits until nobody remembers what the event at `position` made stale. Takes 4 s at most, if a process has died. */
  allPassed(position: bigint): Promise<void>;
  /** Says regularly that this process lives, until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>;
};

const saidChannel = 'gatebook_peers';
const sayEveryMs = lookEveryMs;
/** What was said counts for so long with the others, */
const countsMs = 3_000;
/** and for less with who said it: it stops remembering before the others stop waiting. */
const leaseMs = 2_500;
const pollMs = 50;

export async function migratePeers(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'peers');
}

type Parts = {
  pool: Pool;
  listener: Listener;
  tail: LogTail;
  /** Of this process: a UUID. */
  id: string;
  logger: Logger;
  /** In milliseconds, of a clock that never goes back. */
  now?: () => number;
};

/**
 * A process remembers projects under a lease: whoever changes one waits until each process whose lease may still run has followed
 * the log past the change. So nobody remembers what somebody else was told is changed, and a request costs nothing for it.
 */
export async function createPeers(parts: Parts): Promise<Peers> {
  const { pool, listener, tail, id, logger, now = () => performance.now() } = parts;
  let leaseUntil = Number.NEGATIVE_INFINITY;
  /** The head after the first word of this lease: what came before it nobody has waited for. */
  let joinedAt: bigint | null = null;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resume of waiting) resume();
  };
  const stopListening = await listener.listen(saidChannel, wake, wake);

  async function write(followed: bigint): Promise<void> {
    await pool.query({
      name: 'peers-say',
      text: `with said as (
        insert into peers.apis as a (id, followed, said_at) values ($1, $2, clock_timestamp())
        on conflict (id) do update set followed = greatest(a.followed, excluded.followed), said_at = excluded.said_at
      ) select pg_notify($3, '')`,
      values: [id, followed, saidChannel],
    });
  }

  async function sayAgain(): Promise<void> {
    const startedAt = now();
    if (startedAt >= leaseUntil) joinedAt = null;
    const followed = tail.followed();
    const recent = tail.headWithin(2 * lookEveryMs);
    // Who does not keep up stops being waited for.
    if (followed === null || recent === null || followed < recent) return;
    await write(followed);
    leaseUntil = startedAt + leaseMs;
    joinedAt ??= await tail.look();
  }

  async function areAllPast(position: bigint): Promise<boolean> {
    const { rows } = await pool.query<{ isPast: boolean }>({
      name: 'peers-passed',
      text: `select not exists (
        select from peers.apis
        where id <> $1 and followed < $2 and said_at > clock_timestamp() - $3 * interval '1 millisecond'
      ) as "isPast"`,
      values: [id, position, countsMs],
    });
    return rows[0]?.isPast ?? true;
  }

  function nextWord(): Promise<void> {
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
    mayRemember: () => {
      const followed = tail.followed();
      return now() < leaseUntil && joinedAt !== null && followed !== null && followed >= joinedAt;
    },
    say: (position) => {
      write(position).catch((error: unknown) => logger.warn({ err: error }, 'the other processes could not be told'));
    },
    allPassed: async (position) => {
      const end = now() + countsMs + 1_000;
      for (;;) {
        const word = nextWord();
        if ((await areAllPast(position)) || now() > end) return;
        await word;
      }
    },
    follow: async (signal) => {
      while (!signal.aborted) {
        await sayAgain().catch((error: unknown) =>
          logger.warn({ err: error }, 'this process could not say that it lives'),
        );
        await pause(sayEveryMs, signal);
      }
      leaseUntil = Number.NEGATIVE_INFINITY;
      await stopListening();
      await pool.query('delete from peers.apis where id = $1', [id]).catch(() => undefined);
    },
  };
}
