import type { Position, RecordedEvent } from '@eventstore/db-client';

/** Servers report the largest number if they do not know the position. */
export const placeOf = (position: bigint): bigint | null => (position < 2n ** 63n ? position : null);

export const pairOf = (position: bigint): Position => ({ commit: position, prepare: position });

/** @throws Error if the server is too old to report it */
export function positionOf({ id, position }: RecordedEvent): bigint {
  const place = position && placeOf(position.commit);
  if (place === undefined || place === null) {
    throw new Error(`event ${id} has no position: the log needs EventStoreDB 22.6 or later`);
  }
  return place;
}
