import { type EventStoreDBClient, jsonEvent, WrongExpectedVersionError } from '@eventstore/db-client';
import type { StoredWrite } from '../codec.ts';
import {
  AppendOutcomeUnknownError,
  AppendTooLargeError,
  ConcurrencyError,
  LogUnavailableError,
  NO_STREAM,
} from '../port.ts';
import { type Attempts, isConnectionLost, wasNeverSent } from './connection.ts';
import { toStoredMetadata } from './own-events.ts';
import { placeOf } from './positions.ts';

/** The server's default limit for the events of one append. */
export const defaultMaxAppendBytes = 1_048_576;

type Parts = {
  client: EventStoreDBClient;
  attempts: Attempts;
  nameOf: (stream: string) => string;
  /** IDs of at most `limit` events of a stream after a revision, oldest first. */
  idsAfter: (stream: string, revision: bigint, limit: number) => Promise<readonly string[]>;
};

/**
 * Appends to one stream and tries again after a broken connection. The server recognizes events by their IDs, so it
 * appends nothing twice. @returns the position of the last event; null if the server does not report it @throws
 * ConcurrencyError, AppendOutcomeUnknownError, LogUnavailableError, or the reason for which the server rejected it
 */
export async function appendWrite(
  { client, attempts, nameOf, idsAfter }: Parts,
  { stream, expected, events }: StoredWrite,
): Promise<bigint | null> {
  const expectedRevision = expected === NO_STREAM ? 'no_stream' : expected;
  const proposed = events.map((event) =>
    jsonEvent({ id: event.id, type: event.type, data: { ...event.data }, metadata: toStoredMetadata(event) }),
  );
  /** Whether an attempt without a response may have written it. */
  let isOpen = false;
  const isWritten = async () => {
    try {
      const present = await idsAfter(stream, expected, events.length);
      return events.every(({ id }, index) => present[index] === id);
    } catch (cause) {
      throw new AppendOutcomeUnknownError({ cause });
    }
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

/**
 * The server rejects larger appends, and an append to one stream can't be divided. Counts as the server does.
 * @throws AppendTooLargeError
 */
export function checkSizes(writes: readonly StoredWrite[], maxBytes: number): void {
  for (const { stream, events } of writes) {
    let bytes = 0;
    for (const event of events) {
      bytes += 2 * event.type.length;
      for (const part of [event.data, toStoredMetadata(event)]) bytes += Buffer.byteLength(JSON.stringify(part));
    }
    if (bytes > maxBytes) throw new AppendTooLargeError(stream, bytes, maxBytes);
  }
}
