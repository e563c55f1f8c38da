import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import type { ReadModels } from '@gatebook/projections/wait';
import type { Logger } from '@gatebook/runtime/logger';

export type FollowParts = {
  store: Pick<EventStore, 'head' | 'subscribe'>;
  readModels: Pick<ReadModels, 'reached' | 'continuity'>;
  logger: Logger;
};

/** What takes new public events of projects. */
export type FeedSubscriber = {
  /** In logs. */
  name: string;
  /** The projects whose events are taken. */
  projects(): Promise<readonly string[]>;
  /** Whether the events of the event's project may be taken from then on. */
  showsProject(event: Recorded): boolean;
  onShown?(projectId: string): void;
  /**
   * Takes events of a project. `isBehind`: the read models have not reached the latest one.
   * @returns whether there are more to take now
   */
  take(projectId: string, isBehind: boolean): Promise<boolean>;
  /** How long events wait for later ones, to be taken together. */
  delayMs?: number;
};
