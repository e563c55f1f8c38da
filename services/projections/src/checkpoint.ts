import type { EventStore } from '@gatebook/eventlog/port';

export type Checkpoint = {
  position: bigint;
  /** ID of the event at `position`; null if it is unknown. */
  eventId: string | null;
};

/** The log has another event at a checkpoint, or none: it was restored separately, or it is another log. */
export class CheckpointLostError extends Error {
  readonly position: bigint;

  constructor(name: string, position: bigint) {
    super(
      `the log no longer contains the event at position ${position}, up to which ${name} has processed it; ` +
        'see "When the log falls back" in docs/operations.md',
    );
    this.name = 'CheckpointLostError';
    this.position = position;
  }
}

/** @throws CheckpointLostError */
export async function requireCheckpoint(
  store: Pick<EventStore, 'identify'>,
  name: string,
  { position, eventId }: Checkpoint,
): Promise<void> {
  if (position === 0n) return;
  const found = await store.identify(position);
  if (found === null || (eventId !== null && found !== eventId)) throw new CheckpointLostError(name, position);
}
