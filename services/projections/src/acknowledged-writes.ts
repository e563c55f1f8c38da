import type { Recorded } from '@gatebook/domain/event';
import type { LogTail } from './log-tail.ts';
import { type Backlog, createPendingWrites } from './pending-writes.ts';
import { answerAfterMs, type ReadModels } from './wait.ts';

export type AcknowledgedWrites = {
  /**
   * Makes every acknowledged write to these scopes visible to their readers, whichever process acknowledged it
   * (docs/decisions/0015).
   * @returns null when the rows can be read at once, which is the usual case. Otherwise a promise of the outcome:
   * `behind` after 5 s, or at once while the projection has stopped, the log is unavailable, or a scope is quarantined
   */
  readable(scopes: readonly string[]): Promise<'reached' | 'behind'> | null;
  /** The events of a scope that the rows do not show yet. */
  backlog(scope: string): Backlog;
};

/** Longer than a projector takeover: 5 s at most, of which the writer has already waited 2 s. */
const longestWaitMs = 5_000;
/** Each step checks whether the projection has stopped. */
const stepMs = 500;
/** Covers clocks of two machines that run at slightly different speeds. */
const marginMs = 200;

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
  /** The scopes that show the event. A scope is a part of the rows that is read on its own: a project. */
  scopesOf: (event: Recorded) => ReadonlySet<string>;
}): AcknowledgedWrites {
  const pending = createPendingWrites();
  /** The scopes of events up to here are unknown. */
  let unknownUpTo = 0n;
  /** The highest position that all rows have reached. If they are below it now, a crash took their last commits. */
  let readUpTo = 0n;
  /** The position of the rows when a wait timed out. */
  let stuckAt: bigint | null = null;
  /** Number of gaps after which all rows, or those of some scopes, were known to contain the log of that moment. */
  let completeAfterGaps = readModels.gaps();
  let completeScopes = { gaps: completeAfterGaps, scopes: new Set<string>() };

  function forgetRead(): void {
    const position = readModels.position();
    if (position > readUpTo) readUpTo = position;
    pending.forget((scope) => readModels.position([scope]));
  }

  tail.add({
    begin: (head) => {
      pending.clear();
      unknownUpTo = head;
      if (readUpTo > head) readUpTo = head;
      stuckAt = null;
    },
    see: (events) => {
      for (const event of events) pending.add(event, scopesOf(event));
      forgetRead();
      if (!pending.isFull()) return;
      pending.clear();
      unknownUpTo = events.at(-1)?.position ?? unknownUpTo;
    },
    end: () => undefined,
  });

  /** The position that the rows must reach if every write up to `due` may have been acknowledged. */
  function owed(scopes: readonly string[], due: bigint): bigint {
    const followed = tail.followed();
    if (followed === null || followed < due) return largest(due, readUpTo);
    return largest(pending.lastUpTo(scopes, due), unknownUpTo < due ? unknownUpTo : due, readUpTo);
  }

  async function wait(scopes: readonly string[], known: bigint | null): Promise<'reached' | 'behind'> {
    const due = known ?? (await tail.look());
    if (due === null) return 'behind';
    return waitFor(owed(scopes, due), scopes);
  }

  /** After a crash the rows may lack writes of any age, until they contain the log of a later moment. */
  async function waitAfterGap(gaps: number, scopes: readonly string[]): Promise<'reached' | 'behind'> {
    const head = await tail.look();
    if (head === null) return 'behind';
    const outcome = await waitFor(head, scopes);
    if (outcome === 'behind') return outcome;
    if (readModels.position() >= head) completeAfterGaps = gaps;
    if (completeScopes.gaps !== gaps) completeScopes = { gaps, scopes: new Set() };
    for (const scope of scopes) completeScopes.scopes.add(scope);
    return outcome;
  }

  const isComplete = (gaps: number, scopes: readonly string[]) =>
    gaps === completeAfterGaps ||
    (gaps === completeScopes.gaps && scopes.every((scope) => completeScopes.scopes.has(scope)));

  async function waitFor(position: bigint, scopes: readonly string[]): Promise<'reached' | 'behind'> {
    for (let waitedMs = 0; waitedMs < longestWaitMs; waitedMs += stepMs) {
      const isStuck = readModels.isStopped(scopes) || readModels.position(scopes) === stuckAt;
      if ((await readModels.reached(position, isStuck ? 0 : stepMs, scopes)) === 'reached') return 'reached';
      if (isStuck) return 'behind';
    }
    stuckAt = readModels.position(scopes);
    return 'behind';
  }

  return {
    readable: (scopes) => {
      if (readModels.isQuarantined(scopes)) return Promise.resolve('behind');
      const gaps = readModels.gaps();
      if (!isComplete(gaps, scopes)) return waitAfterGap(gaps, scopes);
      const due = tail.headWithin(answerAfterMs - marginMs);
      const position = readModels.position(scopes);
      if (due !== null && position >= due && position >= readUpTo) {
        readUpTo = largest(readUpTo, readModels.position());
        return null;
      }
      return wait(scopes, due);
    },
    backlog: (scope) => {
      forgetRead();
      return pending.backlog(scope);
    },
  };
}

const largest = (...positions: readonly bigint[]) => positions.reduce((one, other) => (one > other ? one : other));
