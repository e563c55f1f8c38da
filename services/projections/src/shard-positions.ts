import { least } from './positions.ts';
import { shardOf } from './shards.ts';

/** What a process that follows the log finds out about an event. */
export type EventPlace = {
  position: bigint;
  projectId: string;
  /** Whether all shards apply it, not only that of its project. */
  isForAll: boolean;
  /** Whether readers of the shared project see it. */
  isShared: boolean;
};

/** Events of one shard that its announced position has not passed, oldest first. */
type Pending = { position: bigint; isFromOtherShard: boolean; isShared: boolean };
type Known = {
  /** Announced by the projector, which does not announce events of other shards at once. */
  position: bigint;
  /** Events up to here are not all known. */
  unknownUpTo: bigint;
  pending: Pending[];
};

const maxPending = 10_000;

/**
 * How far the shards of a projection version are, as a process knows. A shard has passed a position if it has applied
 * its own events up to there. A process that follows the log knows which those are, so it need not wait until the
 * projector announces that a shard has passed events of others.
 */
export function createShardPositions(positions: readonly bigint[], { shared, followed }: ShardPositionsParts) {
  const shards = positions.map((position): Known => ({ position, unknownUpTo: followed, pending: [] }));
  const home = shared === undefined ? null : shardOf(shared, shards.length);
  let followedUpTo = followed;

  /** Up to where the shard has passed all its events, or those for which `counts` is true. */
  function passed({ position, unknownUpTo, pending }: Known, counts: (event: Pending) => boolean = () => true): bigint {
    if (position < unknownUpTo) return position;
    const next = pending.find(counts);
    const end = next ? next.position - 1n : followedUpTo;
    return end > position ? end : position;
  }

  /** Readers of the shared project see some events of other projects. */
  function passedInScope(scope: string): bigint {
    if (scope !== shared) return passedBy(shardOf(scope, shards.length));
    return least(shards.map((known, shard) => passed(known, shard === home ? undefined : ({ isShared }) => isShared)));
  }

  const passedBy = (shard: number): bigint => {
    const known = shards[shard];
    return known ? passed(known) : -1n;
  };

  return {
    /** Up to where the rows of these projects contain the log; of all projects if there are none. */
    position: (scopes: readonly string[] = []): bigint =>
      least(scopes.length === 0 ? shards.map((known) => passed(known)) : scopes.map(passedInScope)),

    /**
     * Whether an event at `position` that this process has appended is in the tables, whichever project it belongs to.
     * `scopes`: projects that it probably belongs to, whose earlier events have to be there too.
     */
    contains: (position: bigint, scopes: readonly string[]): boolean =>
      scopes.every((scope) => scope === shared || passedInScope(scope) >= position) &&
      shards.every((known) => {
        if (known.position >= position) return true;
        if (known.unknownUpTo >= position || followedUpTo < position) return false;
        const counts = (event: Pending) =>
          event.position === position ||
          (event.isFromOtherShard && event.position < position && shared !== undefined && scopes.includes(shared));
        return !known.pending.some(counts);
      }),

    advance(shard: number, position: bigint): void {
      const known = shards[shard];
      if (!known || position <= known.position) return;
      known.position = position;
      const next = known.pending.findIndex((event) => event.position > position);
      known.pending = next === -1 ? [] : known.pending.slice(next);
    },

    /** The log is followed from here on. */
    begin(head: bigint): void {
      followedUpTo = head;
      for (const known of shards) Object.assign(known, { unknownUpTo: head, pending: [] });
    },

    /** The next events of the log. */
    see<E extends { position: bigint }>(events: readonly E[], placeOf: (event: E) => EventPlace): void {
      // A single shard passes every event, and announces it at once.
      if (shards.length === 1) return;
      followedUpTo = events.at(-1)?.position ?? followedUpTo;
      for (const place of events.map(placeOf)) {
        const ofProject = shardOf(place.projectId, shards.length);
        add(ofProject, place, false);
        if (!place.isForAll) continue;
        for (const shard of shards.keys()) if (shard !== ofProject) add(shard, place, true);
      }
    },

    /** The announced positions may be too high. */
    forget(): void {
      for (const known of shards) Object.assign(known, { position: -1n, unknownUpTo: followedUpTo, pending: [] });
    },
  };

  function add(shard: number, { position, isShared }: EventPlace, isFromOtherShard: boolean): void {
    const known = shards[shard];
    if (!known || position <= known.position) return;
    if (known.pending.length < maxPending) {
      known.pending.push({ position, isFromOtherShard, isShared: isShared || isFromOtherShard });
    } else Object.assign(known, { unknownUpTo: position, pending: [] });
  }
}

type ShardPositionsParts = {
  /** ID of the shared project. */
  shared: string | undefined;
  /** Up to where the process has followed the log. */
  followed: bigint;
};

export type ShardPositions = ReturnType<typeof createShardPositions>;
