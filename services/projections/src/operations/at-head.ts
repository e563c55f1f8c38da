import type { EventStore } from '@gatebook/eventlog/port';
import type { OperationsStatus, ProjectionVersionRow, SubscriptionStatus } from './queries.ts';

/** `lag`: positions between it and the log's head. */
export type OperationsAtHead = {
  head: bigint;
  subscriptions: (SubscriptionStatus & { lag: bigint })[];
  projectionVersions: (ProjectionVersionRow & { lag: bigint })[];
  checks: OperationsStatus['checks'];
};

/** The log's head, and how far everything that follows it is behind. */
export async function operationsAtHead({
  operations,
  store,
}: {
  operations(): Promise<OperationsStatus>;
  store: Pick<EventStore, 'head'>;
}): Promise<OperationsAtHead> {
  const { subscriptions, projectionVersions, checks } = await operations();
  // Asked for afterwards, so that nobody is ahead of it.
  const head = await store.head();
  const withLag = <T extends { position: bigint }>(part: T) => ({
    ...part,
    lag: head > part.position ? head - part.position : 0n,
  });
  return {
    head,
    subscriptions: subscriptions.map(withLag),
    projectionVersions: projectionVersions.map(withLag),
    checks,
  };
}
