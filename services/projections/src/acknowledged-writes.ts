import type { Recorded } from '@gatebook/domain/event';
import type { LogTail } from './log-tail.ts';
import { answerAfterMs, type ReadModels } from './wait.ts';

export type AcknowledgedWrites = {
  /**
   * Makes every acknowledged write to these scopes visible to their readers, whichever process acknowledged it
   * (docs/decisions/0015).
   * @returns null when the rows can be read at once, which is the usual case. Otherwise a promise of the outcome:
   * `behind` after 5 s, or at once while the projection has stopped or the log is unavailable
   */
  readable(scopes: readonly string[]): Promise<'reached' | 'behind'> | null;
};

/** Longer than a projector takeover: 5 s at most, of which the writer has already waited 2 s. */
const longestWaitMs = 5_000;
/** Each step checks whether the projection has stopped. */
const stepMs = 500;
/** Covers clocks of two machines that run at slightly different speeds. */
const marginMs = 200;
const maxPending = 10_000;

/**
 * A response waits for its write to be readable, but for two seconds at most. So a write older than that may have been
 * acknowledged and must be readable; the writer itself waits for a younger one. Recent reads of the head of the
 * log show which writes are older, and following the log shows their scopes.
 */
export function createAcknowledgedWrites({
  tail,
  readModels,
  scopesOf,
}: {
  tail: LogTail;
  readModels: ReadModels;
  /** The scopes that show the event. A scope is a part of the rows that is read on its own, such as a tenant. */
  scopesOf: (event: Recorded) => ReadonlySet<string>;
}): AcknowledgedWrites {
  /** Writes that the rows do not show yet, oldest first. */
  let pending: { position: bigint; scopes: ReadonlySet<string> }[] = [];
  /** The scopes of events up to here are unknown. */
  let unknownUpTo = 0n;
  /** The highest position that the rows have reached. If they are below it now, a crash took their last commits. */
  let readUpTo = 0n;
  /** The position of the rows when a wait timed out. */
  let stuckAt: bigint | null = null;

  function forgetRead(): void {
    const position = readModels.position();
    if (position > readUpTo) readUpTo = position;
    const firstUnread = pending.findIndex((event) => event.position > position);
    if (firstUnread !== 0) pending = firstUnread === -1 ? [] : pending.slice(firstUnread);
  }

  tail.add({
    begin: (head) => {
      pending = [];
      unknownUpTo = head;
    },
    see: (events) => {
      const position = readModels.position();
      for (const event of events) {
        if (event.position > position) pending.push({ position: event.position, scopes: scopesOf(event) });
      }
      forgetRead();
      const dropped = pending.splice(0, Math.max(0, pending.length - maxPending)).at(-1);
      if (dropped) unknownUpTo = dropped.position;
    },
    end: () => undefined,
  });

  /** The position that the rows must reach if every write up to `due` may have been acknowledged. */
  function owed(scopes: readonly string[], due: bigint): bigint {
    const followed = tail.followed();
    if (followed === null || followed < due) return largest(due, readUpTo);
    const known = pending.findLast((write) => write.position <= due && scopes.some((scope) => write.scopes.has(scope)));
    return largest(known?.position ?? 0n, unknownUpTo < due ? unknownUpTo : due, readUpTo);
  }

  async function wait(scopes: readonly string[], known: bigint | null): Promise<'reached' | 'behind'> {
    const due = known ?? (await tail.look());
    if (due === null) return 'behind';
    const position = owed(scopes, due);
    for (let waitedMs = 0; waitedMs < longestWaitMs; waitedMs += stepMs) {
      const isStuck = readModels.isStopped() || readModels.position() === stuckAt;
      if ((await readModels.reached(position, isStuck ? 0 : stepMs)) === 'reached') return 'reached';
      if (isStuck) return 'behind';
    }
    stuckAt = readModels.position();
    return 'behind';
  }

  return {
    readable: (scopes) => {
      const due = tail.headWithin(answerAfterMs - marginMs);
      const position = readModels.position();
      if (due !== null && position >= due && position >= readUpTo) {
        readUpTo = position;
        return null;
      }
      return wait(scopes, due);
    },
  };
}

const largest = (...positions: readonly bigint[]) => positions.reduce((one, other) => (one > other ? one : other));
