import { inTransaction, type Pool } from '@gatebook/runtime/postgres';
import {
  describeFailure,
  keepQuarantined,
  listQuarantined,
  placeOf,
  type Quarantined,
} from '../quarantine/quarantine.ts';
import { isNeeded, type Reactor, type ReactorParts } from './reactor-parts.ts';
import { isTemporary } from './temporary.ts';

/** A quarantined project is tried again by itself: first after this time, then after twice as long, and so on. */
export const firstRetryMs = 60_000;
const longestRetryMs = 60 * 60_000;
/** Small, because the other projects wait meanwhile. */
const pageSize = 50;
/** Then events of other projects are processed before the next round. */
const roundMs = 1_000;

/** Whether a project is to be tried again now, or the reactor was reset since `revision` of its quarantine. */
export async function hasDue(pool: Pool, name: string, revision: bigint): Promise<boolean> {
  const { rows } = await pool.query<{ isDue: boolean }>({
    name: 'reactor-has-due',
    text: `select exists (select from readmodel.quarantines where subscriber = $1 and retry_at <= now())
      or exists (select from readmodel.subscriptions where name = $1 and quarantine_revision <> $2) as "isDue"`,
    values: [name, revision],
  });
  return rows[0]?.isDue ?? false;
}

/**
 * Acts on waiting events of the quarantined projects that are to be tried again, a page of each in turn, for a short
 * while. The reactor's own checkpoint stands still meanwhile. A project that has caught up with it is released.
 * @returns whether projects are left that have not caught up
 */
export async function retryDue(parts: ReactorParts, reactor: Reactor, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + roundMs;
  const due = await listQuarantined(parts.pool, { dueOf: [reactor.name] });
  // Not always the same ones are first.
  const start = Math.floor(Math.random() * due.length);
  const line = [...due.slice(start), ...due.slice(0, start)];
  for (let next = line.shift(); next; next = line.shift()) {
    if (signal.aborted || performance.now() >= until) return true;
    if ((await retry(parts, reactor, next, signal)) === 'moved on') line.push(next);
  }
  return false;
}

/** What became of a page. */
type Outcome = 'released' | 'moved on' | 'failed again';

/** Acts on the next page after `quarantined.after`, which moves on with it. */
async function retry(
  { store, pool, logger }: ReactorParts,
  reactor: Reactor,
  quarantined: Quarantined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { subscriber, projectId, failures } = quarantined;
  const where = { reactor: subscriber, project: projectId };
  const unneeded = { large: true, ...(reactor.unneeded?.types && { types: reactor.unneeded.types }) };
  const { events, upTo } = await store.readProjects([projectId], quarantined.after, pageSize, unneeded);
  const checkpoint = await positionOf(pool, subscriber);
  for (const event of events.filter(({ position }) => position <= checkpoint)) {
    try {
      if (!isNeeded(reactor, event)) continue;
      if (event.unreadable) throw event.unreadable;
      await reactor.react(event, signal);
    } catch (error) {
      if (signal.aborted) {
        await moveOn(pool, quarantined);
        return 'moved on';
      }
      if (isTemporary(error)) {
        await moveOn(pool, quarantined);
        throw error;
      }
      const failure = { ...placeOf(event, quarantined.after), error: describeFailure(event, error) };
      await keepQuarantined(pool, quarantined, failure, Math.min(firstRetryMs * 2 ** failures, longestRetryMs));
      logger.error({ ...where, position: String(event.position), err: error }, 'project still quarantined');
      return 'failed again';
    }
    quarantined.after = event.position;
  }
  quarantined.after = upTo < checkpoint ? upTo : checkpoint;
  if (!(await release(pool, quarantined))) return 'moved on';
  logger.info(where, 'project released');
  return 'released';
}

async function positionOf(pool: Pool, name: string): Promise<bigint> {
  const { rows } = await pool.query<{ position: string }>(
    'select position from readmodel.subscriptions where name = $1',
    [name],
  );
  return BigInt(rows[0]?.position ?? 0);
}

async function moveOn(pool: Pool, { subscriber, projectId, after }: Quarantined): Promise<void> {
  await pool.query('update readmodel.quarantines set after_position = $3 where subscriber = $1 and project_id = $2', [
    subscriber,
    projectId,
    after,
  ]);
}

/** Releases the project if its events up to the checkpoint have been processed. @returns whether it is released */
async function release(pool: Pool, { subscriber, projectId, after: upTo }: Quarantined): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const { rowCount } = await tx.query(
      'update readmodel.subscriptions set quarantine_revision = quarantine_revision + 1 where name = $1 and position <= $2',
      [subscriber, upTo],
    );
    const isReleased = rowCount === 1;
    await tx.query(
      isReleased
        ? 'delete from readmodel.quarantines where subscriber = $1 and project_id = $2 and $3::bigint is not null'
        : 'update readmodel.quarantines set after_position = $3 where subscriber = $1 and project_id = $2',
      [subscriber, projectId, upTo],
    );
    return isReleased;
  });
}
