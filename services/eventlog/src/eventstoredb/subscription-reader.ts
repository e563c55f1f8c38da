import {
  type AllStreamSubscription,
  type EventStoreDBClient,
  excludeSystemEvents,
  type Position,
  type RecordedEvent,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import type { StoredRecord } from '../codec.ts';
import { pauseAfter } from '../pause-after.ts';
import { isConnectionLost } from './connection.ts';
import { pairOf, positionOf } from './positions.ts';
import { batchesOf } from './reading.ts';

/** Number of events that a subscription requests in advance. */
const readAhead = 1_000;
/** How often a subscription gets a checkpoint when no events match, in units of 32 events. */
const checkpointInterval = 32;

/** Where a subscription resumes. */
type Place = { from: Position | typeof START };

type Parts = {
  client: EventStoreDBClient;
  streamPrefix: string;
  isOurs: (event: RecordedEvent) => boolean;
  toRecord: (event: RecordedEvent) => StoredRecord;
};

/** Follows the log by a subscription at the leader. */
export function createSubscriptionReader({ client, streamPrefix, isOurs, toRecord }: Parts) {
  /**
   * Yields events as the server sends them, and moves `place` along, also past events that are not ours.
   * @throws if the connection is lost, after the events before
   */
  async function* receive(place: Place, signal: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    const filterOptions = {
      checkpointInterval,
      checkpointReached: async ({ readableLength }: AllStreamSubscription, position: Position) => {
        // Events that are still waiting would be skipped if the connection broke now.
        if (readableLength === 0) place.from = position;
      },
    };
    const filter =
      streamPrefix === ''
        ? excludeSystemEvents(filterOptions)
        : streamNameFilter({ ...filterOptions, prefixes: [streamPrefix] });
    const subscription = client.subscribeToAll(
      { fromPosition: place.from, filter, requiresLeader: true },
      { highWaterMark: readAhead },
    );
    try {
      for await (const batch of batchesOf(subscription, signal)) {
        const events = batch.flatMap(({ event }) => event ?? []);
        const records = events.filter(isOurs).map(toRecord);
        if (records.length > 0) yield records;
        const last = events.at(-1);
        if (last) place.from = pairOf(positionOf(last));
      }
    } finally {
      // The call may never have started.
      subscription.unsubscribe().catch(() => undefined);
    }
  }

  /** Survives restarts of the server. */
  async function* follow(position: () => bigint, signal: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    const after = position();
    const place: Place = { from: after === 0n ? START : pairOf(after) };
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        for await (const records of receive(place, signal)) {
          if (signal.aborted) return;
          failures = 0;
          yield records;
        }
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
      }
      await pauseAfter(failures, signal);
    }
  }

  return follow;
}
