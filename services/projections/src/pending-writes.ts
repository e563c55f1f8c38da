import type { Recorded } from '@gatebook/domain/event';

/** What the rows of a scope lack. `ageMs`: how long this process has known the oldest event. */
export type Backlog = { events: number; ageMs: number };

/** Consecutive events of one scope. */
type Run = { first: bigint; last: bigint; events: number; seenAt: number };

/** This many events of a scope are known one by one. After that, a run covers several events. */
const singleEvents = 64;
const eventsPerRun = 100;
const maxRuns = 10_000;

/** Events that the rows do not show yet, by scope. */
export function createPendingWrites(now: () => number = () => performance.now()) {
  /** Oldest first. */
  const scopes = new Map<string, Run[]>();
  let runs = 0;

  function add(scope: string, position: bigint): void {
    const known = scopes.get(scope) ?? [];
    const newest = known.at(-1);
    if (newest && known.length > singleEvents && newest.events < eventsPerRun) {
      newest.last = position;
      newest.events += 1;
      return;
    }
    known.push({ first: position, last: position, events: 1, seenAt: now() });
    scopes.set(scope, known);
    runs += 1;
  }

  return {
    add: ({ position }: Pick<Recorded, 'position'>, of: ReadonlySet<string>): void => {
      for (const scope of of) add(scope, position);
    },
    /** Forgets events of each scope up to a position. */
    forget(positionOf: (scope: string) => bigint): void {
      for (const [scope, known] of scopes) {
        const position = positionOf(scope);
        const firstUnread = known.findIndex(({ last }) => last > position);
        if (firstUnread === 0) continue;
        const read = firstUnread === -1 ? known.length : firstUnread;
        runs -= read;
        if (read === known.length) scopes.delete(scope);
        else scopes.set(scope, known.slice(read));
      }
    },
    /** The last known position up to `due` of an event of one of these scopes; 0n if there is none. */
    lastUpTo(of: readonly string[], due: bigint): bigint {
      let position = 0n;
      for (const scope of of) {
        const run = scopes.get(scope)?.findLast(({ first }) => first <= due);
        if (!run) continue;
        const last = run.last < due ? run.last : due;
        if (last > position) position = last;
      }
      return position;
    },
    backlog(scope: string): Backlog {
      const known = scopes.get(scope) ?? [];
      const [oldest] = known;
      const events = known.reduce((sum, run) => sum + run.events, 0);
      return { events, ageMs: oldest ? now() - oldest.seenAt : 0 };
    },
    isFull: () => runs > maxRuns,
    clear(): void {
      scopes.clear();
      runs = 0;
    },
  };
}
