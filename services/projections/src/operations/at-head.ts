import type { EventStore } from '@gatebook/eventlog/port';
import type { OperationsStatus, ProjectionVersionRow, SubscriptionStatus } from './queries.ts';

/** `lag`: positions behind the head of the log. */
export type OperationsAtHead = {
  head: bigint;
  subscriptions: (SubscriptionStatus & { lag: bigint })[];
  projectionVersions: (ProjectionVersionRow & { lag: bigint })[];
  quarantines: OperationsStatus['quarantines'];
  checks: OperationsStatus['checks'];
};

/** The head of the log, and the lag of every subscription and projection version. */
export async function operationsAtHead({
  operations,
  store,
}: {
  operations(): Promise<OperationsStatus>;
  store: Pick<EventStore, 'head'>;
}): Promise<OperationsAtHead> {
  const { subscriptions, projectionVersions, quarantines, checks } = await operations();
  // Read the head last, so that no position is above it.
  const head = await store.head();
  const withLag = <T extends { position: bigint }>(part: T) => ({
    ...part,
    lag: head > part.position ? head - part.position : 0n,
  });
  return {
    head,
    subscriptions: subscriptions.map(withLag),
    projectionVersions: projectionVersions.map(withLag),
    quarantines,
    checks,
  };
}
