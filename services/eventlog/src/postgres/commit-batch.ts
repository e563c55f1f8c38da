import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import type { StoredRecord, StoredWrite } from '../codec.ts';
import { enoughAttempts, pauseAfter } from '../pause-after.ts';
import { AppendOutcomeUnknownError } from '../port.ts';
import { jsonOf } from '../stored-event.ts';
import { bigintArray, intArray, jsonArray, smallintArray, textArray, uuidArray } from './binary-arrays.ts';
import { isConnectionLost } from './connection.ts';
import type { CommitBatch, Outcome } from './group-commit.ts';

type Append = readonly StoredWrite[];
type Answer = {
  base: string;
  lost: number[];
  lost_streams: string[];
  found_positions: (string | null)[];
  committed: Date;
};

type Options = {
  maxAttempts?: number;
  /** Gets the events that directly follow position `before`, as they are in the log now. */
  onCommitted?: (before: bigint, records: () => readonly StoredRecord[]) => void;
};

/** A connection that does not respond for this long counts as broken. */
const answerMs = 15_000;

/**
 * One round trip and one commit per batch, by the function `log.append`. If a connection breaks, it is unknown whether
 * the batch was committed: send it again, because `log.append` does nothing twice. A batch that Postgres rejects is
 * repeated append by append, so that only the faulty one fails.
 */
export function createCommitBatch(pool: Pool, options: Options = {}): CommitBatch {
  const { maxAttempts = enoughAttempts, onCommitted = () => undefined } = options;

  async function commit(batch: readonly Append[], wasLeftOpen: boolean): Promise<readonly Outcome[]> {
    let isOpen = wasLeftOpen;
    for (let attempt = 1; ; attempt += 1) {
      let client: PoolClient | undefined;
      try {
        client = await pool.connect();
        return await appendBatch(client, batch, onCommitted);
      } catch (error) {
        const isLost = isConnectionLost(error);
        if (isLost && client) isOpen = true;
        if (isLost && attempt < maxAttempts) await pauseAfter(attempt);
        else if (isLost || batch.length === 1) {
          const reason = isOpen ? new AppendOutcomeUnknownError({ cause: error }) : error;
          return batch.map(() => ({ error: reason }));
        } else {
          const outcomes: Outcome[] = [];
          for (const append of batch) outcomes.push(...(await commit([append], isOpen)));
          return outcomes;
        }
      }
    }
  }
  return (batch) => commit(batch, false);
}

/** @throws Error if nothing of the batch was appended, or if that is unknown because the connection broke */
async function appendBatch(
  client: PoolClient,
  batch: readonly Append[],
  onCommitted: NonNullable<Options['onCommitted']>,
): Promise<readonly Outcome[]> {
  let broken: Error | undefined;
  try {
    const query = { name: 'log-append', text: callText, values: asArrays(batch), query_timeout: answerMs };
    const { rows } = await client.query<Answer>(query);
    const [answer] = rows;
    if (!answer) throw new Error('log.append returned no row');
    onCommitted(BigInt(answer.base), () => recordsOf(batch, answer));
    return outcomesOf(batch, answer);
  } catch (error) {
    if (isConnectionLost(error)) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Positions count up from `base` over the events of the successful appends, in order. */
function outcomesOf(batch: readonly Append[], answer: Answer): Outcome[] {
  const lost = new Map(answer.lost.map((append, index) => [append, index]));
  let position = BigInt(answer.base);
  return batch.map((writes, index) => {
    const lostIndex = lost.get(index + 1);
    if (lostIndex === undefined) {
      for (const { events } of writes) position += BigInt(events.length);
      return { position };
    }
    const found = answer.found_positions[lostIndex];
    return found ? { position: BigInt(found) } : { lostStream: answer.lost_streams[lostIndex] ?? '' };
  });
}

/** The events of the successful appends as a read would return them. */
function recordsOf(batch: readonly Append[], { base, lost, committed }: Answer): readonly StoredRecord[] {
  const committedAt = committed.toISOString();
  let position = BigInt(base);
  return batch
    .filter((_, index) => !lost.includes(index + 1))
    .flatMap((writes) =>
      writes.flatMap(({ expected, events }) =>
        events.map(({ data, metadata, ...event }, index): StoredRecord => {
          position += 1n;
          const revision = expected + 1n + BigInt(index);
          return { ...event, data: asStored(data), metadata: asStored(metadata), revision, position, committedAt };
        }),
      ),
    );
}

const asStored = <T extends object>(value: T): T => JSON.parse(jsonOf(value));

const callText = 'select * from log.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

/** The parallel arrays of `log.append`. */
function asArrays(batch: readonly Append[]): Buffer[] {
  const [writeAppends, writeStreams, writeExpected]: [number[], string[], bigint[]] = [[], [], []];
  const [appends, streams, revisions]: [number[], string[], bigint[]] = [[], [], []];
  const [ids, types, versions]: [string[], string[], number[]] = [[], [], []];
  const [data, encrypted, metadata]: [string[], (string | null)[], string[]] = [[], [], []];
  for (const [index, writes] of batch.entries()) {
    for (const { stream, expected, events } of writes) {
      writeAppends.push(index + 1);
      writeStreams.push(stream);
      writeExpected.push(expected);
      let revision = expected;
      for (const event of events) {
        revision += 1n;
        appends.push(index + 1);
        streams.push(stream);
        revisions.push(revision);
        ids.push(event.id);
        types.push(event.type);
        versions.push(event.version);
        data.push(jsonOf(event.data));
        encrypted.push(event.encrypted);
        metadata.push(jsonOf(event.metadata));
      }
    }
  }
  return [
    ...[intArray(writeAppends), textArray(writeStreams), bigintArray(writeExpected)],
    ...[intArray(appends), textArray(streams), bigintArray(revisions), uuidArray(ids), textArray(types)],
    ...[smallintArray(versions), jsonArray(data), textArray(encrypted), jsonArray(metadata)],
  ];
}
