import { type EventStoreDBClient, jsonEvent, WrongExpectedVersionError } from '@eventstore/db-client';
import type { Metadata } from '@gatebook/domain/event';
import type { StoredWrite } from '../codec.ts';
import { AppendOutcomeUnknownError, ConcurrencyError, LogUnavailableError, NO_STREAM } from '../port.ts';
import { type Attempts, isConnectionLost, wasNeverSent } from './connection.ts';

/** What stands beside an event's data. */
export type StoredMetadata = { version: number; encrypted: string | null; metadata: Metadata };

type Parts = {
  client: EventStoreDBClient;
  attempts: Attempts;
  nameOf: (stream: string) => string;
  /** Ids of at most `limit` events of a stream after a revision, oldest first. */
  idsAfter: (stream: string, revision: bigint, limit: number) => Promise<readonly string[]>;
};

/**
 * One stream's part of an append, sent again after a broken connection: the server knows events by their ids, so it does nothing
 * twice. @returns the position of the last event, null when the server does not tell it
 * @throws ConcurrencyError, AppendOutcomeUnknownError, LogUnavailableError, or what the server rejected it for
 */
export async function appendWrite(
  { client, attempts, nameOf, idsAfter }: Parts,
  { stream, expected, events }: StoredWrite,
): Promise<bigint | null> {
  const expectedRevision = expected === NO_STREAM ? 'no_stream' : expected;
  const proposed = events.map(({ id, type, data, version, encrypted, metadata }) =>
    jsonEvent({ id, type, data: { ...data }, metadata: { version, encrypted, metadata } satisfies StoredMetadata }),
  );
  /** Whether it may have been written by an attempt whose answer did not come. */
  let isOpen = false;
  const isWritten = async () => {
    const present = await idsAfter(stream, expected, events.length);
    return events.every(({ id }, index) => present[index] === id);
  };

  try {
    return await attempts.make(async () => {
      try {
        const { position } = await client.appendToStream(nameOf(stream), proposed, { expectedRevision });
        return position ? placeOf(position.commit) : null;
      } catch (error) {
        if (isConnectionLost(error) && !wasNeverSent(error)) isOpen = true;
        throw error;
      }
    });
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) {
      if (isOpen && (await isWritten())) return null;
      throw new ConcurrencyError(stream);
    }
    if (isOpen) throw new AppendOutcomeUnknownError({ cause: error });
    throw isConnectionLost(error) ? new LogUnavailableError({ cause: error }) : error;
  }
}

/** Where nothing is known, servers say the largest number there is. */
export const placeOf = (position: bigint): bigint | null => (position < 2n ** 63n ? position : null);
