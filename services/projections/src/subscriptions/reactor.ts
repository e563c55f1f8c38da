import type { Recorded } from '@gatebook/domain/event';
import { UnreadableEventError } from '@gatebook/eventlog/port';
import { createChangeWatch } from '@gatebook/runtime/change-watch';
import { pause } from '@gatebook/runtime/pause';
import { inTransaction, type Pool } from '@gatebook/runtime/postgres';
import { type Checkpoint, CheckpointLostError, requireCheckpoint } from '../checkpoint.ts';
import {
  addQuarantined,
  describeFailure,
  isWaiting,
  placeOf,
  type Quarantine,
  quarantineChannel,
  requestRelease,
  toQuarantine,
  waitingJson,
} from '../quarantine/quarantine.ts';
import {
  isNeeded,
  maxUnsavedEvents,
  maxUnsavedMs,
  noEffect,
  type Reactor,
  type ReactorParts,
  traceReactor,
} from './reactor-parts.ts';
import { firstRetryMs, hasDue, retryDue } from './retry-project.ts';
import { isTemporary, ProjectQuarantinedError } from './temporary.ts';

export type { Reactor };

const usualRetryPauseMs = 1000;
/** A project is quarantined after this many attempts at one event: 15 s with the usual pauses. */
const maxAttempts = 5;
const lookForRetriesMs = 1000;

/** Where a reactor is. `attempts` at the event at `failedAt`. */
type State = Checkpoint & { quarantine: Quarantine; failedAt: bigint | null; attempts: number };

/** The process stops, and the next one acts on the event again. */
const interrupted = Symbol('interrupted');

/** The checkpoint or the quarantine was changed by another process. */
class CheckpointMovedError extends Error {}

/**
 * Calls a reactor for every event of the log, in order, from its own checkpoint. No event is skipped. An event that
 * cannot be read, or on which the reactor fails repeatedly, quarantines its project for this reactor: later events of
 * the project wait until it is tried again with success. A temporary failure, such as an unavailable database, delays
 * all events. The checkpoint is saved after each batch that had an effect, and otherwise now and then
 * (docs/decisions/0055).
 */
export async function runReactor(parts: ReactorParts, untraced: Reactor, signal: AbortSignal): Promise<void> {
  const reactor = traceReactor(untraced, parts.trace);
  const { pool, logger, retryPauseMs = usualRetryPauseMs } = parts;
  const failed: Pick<State, 'failedAt' | 'attempts'> = { failedAt: null, attempts: 0 };
  const changes = await createChangeWatch(parts.listener, [quarantineChannel]);
  let hasStarted = false;
  while (!signal.aborted) {
    try {
      // Newer code may be able to process the events.
      if (!hasStarted) await requestRelease(pool, { subscribers: [reactor.name] });
      hasStarted = true;
      const isAnyLeft = await retryDue(parts, reactor, signal);
      await follow({ ...parts, mayBeDue: () => changes.mayHaveChanged() || isAnyLeft }, reactor, failed, signal);
    } catch (error) {
      if (error instanceof CheckpointMovedError) continue;
      if (error instanceof CheckpointLostError) {
        await recordLostCheckpoint(pool, reactor.name, error).catch(() => undefined);
      }
      logger.error({ err: error, reactor: reactor.name }, 'reactor failed, retrying');
      await pause(retryPauseMs * 2 ** Math.max(0, Math.min(failed.attempts, maxAttempts) - 1), signal);
    }
  }
  await changes.close();
}

/** Until `signal` aborts, a quarantined project is to be tried again, or the reactor is reset. */
async function follow(
  { store, pool, logger, mayBeDue }: ReactorParts & { mayBeDue: () => boolean },
  reactor: Reactor,
  failed: Pick<State, 'failedAt' | 'attempts'>,
  signal: AbortSignal,
): Promise<void> {
  const { name } = reactor;
  const state: State = { ...(await readCheckpoint(pool, name)), ...failed };
  await requireCheckpoint(store, name, state);
  const interruption = new AbortController();
  const saver = createSaver(() => saveCheckpoint(pool, name, state), interruption);
  const looking = setInterval(() => {
    saver.saveIfDue();
    if (!mayBeDue()) return;
    hasDue(pool, name, state.quarantine.revision).then(
      (isDue) => isDue && interruption.abort(),
      () => undefined,
    );
  }, lookForRetriesMs);
  try {
    const options = { ...reactor.unneeded, large: true };
    for await (const batch of store.subscribe(
      state.position,
      AbortSignal.any([signal, interruption.signal]),
      options,
    )) {
      await saver.begin();
      let hasEffect = false;
      for (const event of batch) {
        if (isNeeded(reactor, event) && !isWaiting(state.quarantine, event)) {
          const outcome = await reactOrQuarantine({ pool, logger }, reactor, event, state, signal).finally(() => {
            failed.failedAt = state.failedAt;
            failed.attempts = state.attempts;
          });
          if (outcome === interrupted) break;
          hasEffect ||= outcome !== noEffect;
        }
        state.position = event.position;
        state.eventId = event.id;
        if (signal.aborted) break;
      }
      // A batch without a needed event comes late, so that the checkpoint is not too far behind.
      await saver.end(batch.length, hasEffect || !batch.some((event) => isNeeded(reactor, event)));
    }
    await saver.begin();
    await saver.end(0, true);
  } finally {
    clearInterval(looking);
  }
}

/** Saves the checkpoint late where that does no harm: between batches, so that it never interferes with one. */
function createSaver(save: () => Promise<void>, interruption: AbortController) {
  let unsaved = 0;
  let dueAt = Number.POSITIVE_INFINITY;
  let isProcessing = false;
  let saving = Promise.resolve();

  function saveNow(): Promise<void> {
    unsaved = 0;
    dueAt = Number.POSITIVE_INFINITY;
    return save();
  }

  return {
    /** Before a batch. */
    begin: async () => {
      isProcessing = true;
      await saving;
    },
    /** After a batch of `events`. */
    end: async (events: number, mustSave: boolean) => {
      isProcessing = false;
      unsaved += events;
      if (events > 0) dueAt = Math.min(dueAt, performance.now() + maxUnsavedMs);
      const isDue = unsaved >= maxUnsavedEvents || performance.now() >= dueAt;
      if (dueAt !== Number.POSITIVE_INFINITY && (mustSave || isDue)) await saveNow();
    },
    saveIfDue: () => {
      if (!isProcessing && performance.now() >= dueAt) saving = saveNow().catch(() => interruption.abort());
    },
  };
}

async function recordLostCheckpoint(
  pool: Pool,
  name: string,
  { message, position }: CheckpointLostError,
): Promise<void> {
  await pool.query(
    'update readmodel.subscriptions set stopped_error = $1, stopped_position = null where name = $2 and position = $3',
    [message, name, position],
  );
}

async function reactOrQuarantine(
  { pool, logger }: Pick<ReactorParts, 'pool' | 'logger'>,
  { name, react }: Reactor,
  event: Recorded,
  state: State,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    if (event.unreadable) throw event.unreadable;
    const outcome = await react(event, signal);
    state.failedAt = null;
    state.attempts = 0;
    return outcome;
  } catch (error) {
    if (signal.aborted) return interrupted;
    if (!isForGood(state, event, error)) {
      // Earlier events are not repeated on each attempt.
      await saveCheckpoint(pool, name, state, { error: String(error), position: event.position });
      throw error;
    }
    await quarantine(pool, name, event, state, error);
    const where = { reactor: name, project: event.metadata.projectId, position: String(event.position) };
    logger.error({ ...where, err: error }, 'project quarantined');
    return undefined;
  }
}

/** Counts the attempts at an event. @returns whether to give up */
function isForGood(state: State, { position }: Recorded, error: unknown): boolean {
  if (error instanceof UnreadableEventError || error instanceof ProjectQuarantinedError) return true;
  if (isTemporary(error)) return false;
  state.attempts = state.failedAt === position ? state.attempts + 1 : 1;
  state.failedAt = position;
  return state.attempts >= maxAttempts;
}

/** Durable before the checkpoint passes the event. */
async function quarantine(pool: Pool, name: string, event: Recorded, state: State, error: unknown): Promise<void> {
  const { projectId } = event.metadata;
  const failure = { ...placeOf(event, state.position), error: describeFailure(event, error) };
  await inTransaction(pool, async (tx) => {
    await saveCheckpoint(tx, name, state);
    await addQuarantined(tx, { subscriber: name, shard: 0 }, [failure], firstRetryMs);
    await tx.query('update readmodel.subscriptions set quarantine_revision = quarantine_revision + 1 where name = $1', [
      name,
    ]);
  });
  state.quarantine = {
    revision: state.quarantine.revision + 1n,
    waiting: new Map([...state.quarantine.waiting, [projectId, state.position]]),
  };
  state.failedAt = null;
  state.attempts = 0;
}

type CheckpointRow = { position: string; eventId: string | null; revision: string; waiting: Record<string, string> };

async function readCheckpoint(pool: Pool, name: string): Promise<Pick<State, 'position' | 'eventId' | 'quarantine'>> {
  await pool.query(`insert into readmodel.subscriptions (name, position) values ($1, 0) on conflict do nothing`, [
    name,
  ]);
  const { rows } = await pool.query<CheckpointRow>(
    `select position, event_id as "eventId", quarantine_revision as revision, ${waitingJson('name', '0')} as waiting
     from readmodel.subscriptions where name = $1`,
    [name],
  );
  const [row] = rows;
  if (!row) throw new Error(`the checkpoint of ${name} is missing`);
  const { position, eventId, revision, waiting } = row;
  return { position: BigInt(position), eventId, quarantine: toQuarantine(revision, waiting) };
}

/**
 * A slower process, such as one that lost its leadership, never moves the checkpoint back, nor past events of a project
 * that it takes for quarantined.
 */
async function saveCheckpoint(
  db: Pick<Pool, 'query'>,
  name: string,
  { position, eventId, quarantine }: State,
  failure: { error: string; position: bigint } | null = null,
): Promise<void> {
  // Losing the last checkpoint only repeats an effect, which reactors tolerate, so the commit need not reach the disk.
  const { rowCount } = await db.query(
    `with lazily as materialized (select set_config('synchronous_commit', 'off', true))
     update readmodel.subscriptions
     set position = $2, event_id = $6, stopped_error = $4, stopped_position = $5, updated_at = now()
     from lazily where name = $1 and quarantine_revision = $3 and position <= $2`,
    [name, position, quarantine.revision, failure?.error ?? null, failure?.position ?? null, eventId],
  );
  if (rowCount === 0) throw new CheckpointMovedError(`the checkpoint of ${name} was moved by another process`);
}
