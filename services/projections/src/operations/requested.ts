import type { EventStore } from '@gatebook/eventlog/port';
import { newId } from '@gatebook/runtime/ids';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import type { ProjectionGroup } from '../projection-group.ts';
import type { Comparison } from './compare.ts';
import { createRebuilds, type Rebuilds } from './create-rebuilds.ts';
import { findProjectionVersion, OperationRejectedError, type RejectedBecause } from './rebuilds.ts';

/** Announces a request, with the name of its group. */
export const operationsChannel = 'gatebook_operations';

type Kind = 'rebuild' | 'compare' | 'promote' | 'discard';
type Answer = { isDone: true; result: unknown } | { isDone: false; because: RejectedBecause | null; message: string };
type Request = { id: string; kind: Kind; schema: string | null };

/** Within this time a projector picks up a request and renews its heartbeat. A takeover takes 5 s at most. */
const silenceMs = 10_000;
const sayMs = 2_000;
/** Long after the process that asked has stopped waiting. */
const abandonedMs = 10 * 60_000;
const pollMs = 50;

/**
 * Operations that the projector of the group performs, because the API's database account must not write read models.
 * Requests and results are rows of `readmodel.operations`.
 */
export function createRequestedRebuilds(parts: { pool: Pool; groups: readonly ProjectionGroup[] }): Rebuilds {
  const { pool, groups } = parts;
  /** A request made during a comparison gets its result: a comparison reads both projection versions whole. */
  const comparing = new Map<string, Promise<Comparison>>();

  async function request(groupName: string, kind: Kind, schema: string | null): Promise<unknown> {
    if (!groups.some(({ name }) => name === groupName)) {
      throw new OperationRejectedError('unknown', `Projection group ${groupName} does not exist.`);
    }
    const id = newId();
    await pool.query(
      `with requested as (
         insert into readmodel.operations (id, group_name, kind, schema_name) values ($1, $2, $3, $4) returning group_name
       ) select pg_notify($5, group_name) from requested`,
      [id, groupName, kind, schema, operationsChannel],
    );
    try {
      return resultOf(await answerTo(pool, id, groupName));
    } finally {
      await pool.query('delete from readmodel.operations where id = $1', [id]);
    }
  }

  const about = async (kind: Kind, schema: string) =>
    request((await findProjectionVersion(pool, schema)).groupName, kind, schema);

  async function compare(schema: string): Promise<Comparison> {
    const comparison = (await about('compare', schema)) as Comparison & { position: string };
    return { ...comparison, position: BigInt(comparison.position) };
  }

  return {
    ask: async (groupName) => findProjectionVersion(pool, String(await request(groupName, 'rebuild', null))),
    compare: (schema) => {
      const running = comparing.get(schema) ?? compare(schema).finally(() => comparing.delete(schema));
      comparing.set(schema, running);
      return running;
    },
    promoteStandby: async (schema) => {
      await about('promote', schema);
    },
    discard: async (schema) => {
      await about('discard', schema);
    },
  };
}

async function answerTo(pool: Pool, id: string, groupName: string): Promise<Answer> {
  for (;;) {
    const { rows } = await pool.query<{ answer: Answer | null; isSilent: boolean }>({
      name: 'operation-answer',
      text: `select answer, coalesce(seen_at, asked_at) < clock_timestamp() - $2 * interval '1 ms' as "isSilent"
        from readmodel.operations where id = $1`,
      values: [id, silenceMs],
    });
    const [row] = rows;
    if (row?.answer) return row.answer;
    if (!row || row.isSilent) {
      throw new OperationRejectedError('behind', `No projector of ${groupName} responds. Check that one is running.`);
    }
    await pause(pollMs);
  }
}

function resultOf(answer: Answer): unknown {
  if (answer.isDone) return answer.result;
  if (answer.because === null) throw new Error(`the projector failed: ${answer.message}`);
  throw new OperationRejectedError(answer.because, answer.message);
}

type Parts = { pool: Pool; store: EventStore; group: ProjectionGroup; logger: Logger };

/**
 * Performs the requested operations of a group, one after another. The projector of the group calls it repeatedly. Once
 * `signal` aborts, it does not wait for the operation that it performs: the next projector repeats it, which does no
 * harm.
 */
export async function answerRequests(parts: Parts, signal: AbortSignal): Promise<void> {
  const { pool, group } = parts;
  // The process that asked was killed. Nobody expects an old request to be performed, either.
  await pool.query(
    `delete from readmodel.operations
     where coalesce(seen_at, asked_at) < clock_timestamp() - $1 * interval '1 ms'`,
    [abandonedMs],
  );
  while (!signal.aborted) {
    const { rows } = await pool.query<Request>({
      name: 'operation-take',
      text: `update readmodel.operations set seen_at = clock_timestamp() where id = (
          select id from readmodel.operations
          where group_name = $1 and answer is null
            and (seen_at is null or seen_at < clock_timestamp() - $2 * interval '1 ms')
          order by asked_at limit 1 for update skip locked
        ) returning id, kind, schema_name as schema`,
      values: [group.name, silenceMs],
    });
    const [request] = rows;
    if (!request) return;
    await carryOut(parts, request, signal);
  }
}

async function carryOut(parts: Parts, request: Request, signal: AbortSignal): Promise<void> {
  const { pool, logger } = parts;
  const saying = setInterval(() => {
    pool
      .query('update readmodel.operations set seen_at = clock_timestamp() where id = $1', [request.id])
      .catch((error: unknown) => logger.warn({ err: error }, 'operation heartbeat failed'));
  }, sayMs);
  const finished = new AbortController();
  const stopped = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true, signal: finished.signal });
  });
  const answer = await Promise.race([perform(parts, request), stopped]);
  finished.abort();
  clearInterval(saying);
  const { id } = request;
  if (answer)
    await pool.query('update readmodel.operations set answer = $2 where id = $1', [id, JSON.stringify(answer)]);
  // As if it had just been requested.
  else
    await pool.query('update readmodel.operations set seen_at = null, asked_at = clock_timestamp() where id = $1', [
      id,
    ]);
}

async function perform(parts: Parts, request: Request): Promise<Answer> {
  try {
    return { isDone: true, result: await resultFor(parts, request) };
  } catch (error) {
    const isRejected = error instanceof OperationRejectedError;
    if (!isRejected) parts.logger.error({ err: error, kind: request.kind, schema: request.schema }, 'operation failed');
    const message = error instanceof Error ? error.message : String(error);
    return { isDone: false, because: isRejected ? error.because : null, message };
  }
}

async function resultFor({ pool, store, group }: Parts, { kind, schema }: Request): Promise<unknown> {
  const rebuilds = createRebuilds({ pool, store, groups: [group] });
  if (kind === 'rebuild') return (await rebuilds.ask(group.name)).schema;
  if (schema === null) throw new Error(`the ${kind} request names no projection version`);
  if (kind === 'promote') return rebuilds.promoteStandby(schema);
  if (kind === 'discard') return rebuilds.discard(schema);
  const { position, ...comparison } = await rebuilds.compare(schema);
  return { ...comparison, position: String(position) };
}
