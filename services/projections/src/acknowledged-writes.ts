import type { Recorded } from '@gatebook/domain/event';
import type { LogTail } from './log-tail.ts';
import { answerAfterMs, type ReadModels } from './wait.ts';

export type AcknowledgedWrites = {
  /**
   * Lets whoever reads these scopes see every write to them that has been answered, by whichever process (decision 15).
   * @returns null when they can be read at once, as nearly always; else a promise for when they can, or `behind` after 5 s, and at
   * once while the rows stand still or the log is away
   */
  readable(scopes: readonly string[]): Promise<'reached' | 'behind'> | null;
};

/** Takeover of a projector takes less (5 s at most, of which the answer has taken 2). */
const longestWaitMs = 5_000;
/** Within each, whether the projection has stopped is looked up. */
const stepMs = 500;
/** Clocks of two machines run equally fast, give or take. */
const marginMs = 200;
const maxPending = 10_000;

/**
 * An answer waits for its write to be readable, but not for ever: after two seconds it is given all the same. So whatever is
 * older than that may have been answered, and has to be readable; what is younger has been waited for by its own writer. Which
 * is older is known from looks at the log's head a moment ago, and whose it is from following the log.
 */
export function createAcknowledgedWrites({
  tail,
  readModels,
  scopesOf,
}: {
  tail: LogTail;
  readModels: ReadModels;
  /** The scopes that show the event. A scope is a part of the rows that is read by itself, such as a tenant. */
  scopesOf: (event: Recorded) => ReadonlySet<string>;
}): AcknowledgedWrites {
  /** What the rows have not passed yet, oldest first. */
  let pending: { position: bigint; scopes: ReadonlySet<string> }[] = [];
  /** Up to here nobody knows whose the events are. */
  let unknownUpTo = 0n;
  /** The rows have been here; if they are not any more, a crash took their last commits. */
  let readUpTo = 0n;
  /** Where the rows were when waiting for more was in vain. */
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

  /** Up to where the rows have to be, when all that may have been answered lies up to `due`. */
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
