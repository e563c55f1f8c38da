import {
  END,
  type EventStoreDBClient,
  type RecordedEvent,
  type ResolvedEvent,
  START,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { LogUnavailableError, NO_STREAM } from '../port.ts';
import { type Attempts, isConnectionLost, isPositionRejected } from './connection.ts';
import { pairOf, positionOf } from './positions.ts';
import { collect } from './reading.ts';

type Parts = {
  client: EventStoreDBClient;
  attempts: Attempts;
  /** The name of a stream on the server. */
  nameOf: (stream: string) => string;
};

/** Reads at the leader, as the server has the events. @throws LogUnavailableError */
export function createReads({ client, attempts, nameOf }: Parts) {
  async function read(call: () => Promise<ResolvedEvent[]>): Promise<RecordedEvent[]> {
    try {
      const resolved = await attempts.make(call);
      return resolved.flatMap(({ event }) => event ?? []);
    } catch (error) {
      if (error instanceof StreamNotFoundError) return [];
      throw isConnectionLost(error) ? new LogUnavailableError({ cause: error }) : error;
    }
  }

  async function readEvents(stream: string, after: bigint, limit: number): Promise<RecordedEvent[]> {
    const options = { fromRevision: after + 1n, requiresLeader: true, maxCount: limit };
    return read(() => collect(client.readStream(nameOf(stream), options)));
  }

  async function revisionOf(stream: string): Promise<bigint> {
    const options = { direction: 'backwards', fromRevision: END, maxCount: 1, requiresLeader: true } as const;
    const [last] = await read(() => collect(client.readStream(nameOf(stream), options)));
    return last?.revision ?? NO_STREAM;
  }

  /**
   * One page of the whole log, including system events. Forwards it begins with the event at `from`, backwards before
   * it.
   */
  function readPage(
    direction: 'forwards' | 'backwards',
    from: bigint | null,
    maxCount: number,
  ): Promise<RecordedEvent[]> {
    const start = direction === 'forwards' ? START : END;
    const fromPosition = from === null ? start : pairOf(from);
    return read(() => collect(client.readAll({ direction, fromPosition, maxCount, requiresLeader: true })));
  }

  async function findAt(position: bigint): Promise<RecordedEvent | undefined> {
    const [event] = await readPage('forwards', position, 1).catch((error: unknown) => {
      if (isPositionRejected(error)) return [];
      throw error;
    });
    return event && positionOf(event) === position ? event : undefined;
  }

  return { readEvents, revisionOf, readPage, findAt };
}
