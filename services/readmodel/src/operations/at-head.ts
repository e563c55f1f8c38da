import type { EventStore } from '@gatebook/eventlog/port';
import type { FollowerStatus, GenerationRow, OperationsStatus } from './queries.ts';

/** `lag`: positions between it and the log's head. */
export type OperationsAtHead = {
  head: bigint;
  followers: (FollowerStatus & { lag: bigint })[];
  generations: (GenerationRow & { lag: bigint })[];
  proofs: OperationsStatus['proofs'];
};

/** The log's head, and how far everything that follows it is behind. */
export async function operationsAtHead({
  operations,
  store,
}: {
  operations(): Promise<OperationsStatus>;
  store: Pick<EventStore, 'head'>;
}): Promise<OperationsAtHead> {
  const { followers, generations, proofs } = await operations();
  // Asked for afterwards, so that nobody is ahead of it.
  const head = await store.head();
  const withLag = <T extends { position: bigint }>(part: T) => ({
    ...part,
    lag: head > part.position ? head - part.position : 0n,
  });
  return { head, followers: followers.map(withLag), generations: generations.map(withLag), proofs };
}
