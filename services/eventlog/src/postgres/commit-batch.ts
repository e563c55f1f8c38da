import type { Pool } from '@gatebook/runtime/postgres';
import type { CommitBatch, Outcome } from './group-commit.ts';

type OutcomeRow = { append: number; last_position: string | null; lost_stream: string | null };

const maxAttempts = 6;
const firstPauseMs = 50;

/** One round trip and one commit per batch, by the function `log.append`. */
export function createCommitBatch(pool: Pool): CommitBatch {
  return async (batch) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const outcomes = await appendBatch(pool, batch);
        return attempt === 1 ? outcomes : await recognise(pool, batch, outcomes);
      } catch (error) {
        if (!isConnectionLost(error) || attempt === maxAttempts) throw error;
        await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** (attempt - 1)));
      }
    }
  };
}

async function appendBatch(pool: Pool, batch: Parameters<CommitBatch>[0]): Promise<Outcome[]> {
  const { rows } = await pool.query<OutcomeRow>({
    name: 'log-append',
    text: 'select * from log.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    values: asArrays(batch),
  });
  const outcomes: Outcome[] = [];
  for (const { append, last_position, lost_stream } of rows) {
    outcomes[append - 1] =
      last_position === null ? { lostStream: String(lost_stream) } : { position: BigInt(last_position) };
  }
  return outcomes;
}

/**
 * A connection that breaks leaves open whether the batch was committed. It is then appended again: an append that had been
 * committed loses against itself, and is recognised by its last event's id.
 */
async function recognise(pool: Pool, batch: Parameters<CommitBatch>[0], outcomes: Outcome[]): Promise<Outcome[]> {
  const lastIds = batch.map((writes) => writes.flatMap(({ events }) => events).at(-1)?.id);
  const { rows } = await pool.query<{ id: string; position: string }>(
    'select id, position from log.events where id = any($1::uuid[])',
    [lastIds.filter((id) => id !== undefined)],
  );
  const positions = new Map(rows.map(({ id, position }) => [id, BigInt(position)]));
  return outcomes.map((outcome, index) => {
    const position = positions.get(lastIds[index] ?? '');
    return position === undefined ? outcome : { position };
  });
}

function asArrays(batch: Parameters<CommitBatch>[0]): unknown[] {
  const writes = batch.flatMap((append, index) => append.map((write) => ({ write, append: index + 1 })));
  const events = writes.flatMap(({ write }, index) => write.events.map((event) => ({ event, write: index + 1 })));
  return [
    writes.map(({ append }) => append),
    writes.map(({ write }) => write.stream),
    writes.map(({ write }) => write.expected),
    events.map(({ write }) => write),
    events.map(({ event }) => event.id),
    events.map(({ event }) => event.type),
    events.map(({ event }) => event.version),
    events.map(({ event }) => JSON.stringify(event.data)),
    events.map(({ event }) => event.sealed),
    events.map(({ event }) => JSON.stringify(event.metadata)),
  ];
}

/** Broken connections, and servers that are starting, stopping or away (SQLSTATE class 08, 57P0x). */
function isConnectionLost(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(08|57P0)/.test(code) || /^E(CONNRESET|CONNREFUSED|PIPE|TIMEDOUT)$/.test(code)) return true;
  return error instanceof Error && /connection (terminated|ended)|not queryable/i.test(error.message);
}
