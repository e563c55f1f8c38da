import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import {
  announcedMs,
  announceSwitch,
  createGeneration,
  createIndexes,
  dropGeneration,
  dropLeftovers,
  type Generation,
  isBuiltOrRead,
  listGenerations,
  markReady,
  switchGeneration,
} from './generations.ts';
import { answerRequests } from './operations/requested.ts';
import { CheckpointMovedError, ProjectionError, projectBatch } from './projector.ts';
import { startChecksums } from './proof/checksum.ts';
import type { ReadModelSet } from './sets.ts';

const rebuildBatch = 10_000;
/** Where the process answers people too: few enough events that nobody waits for them noticeably, */
const sharedBatch = 100;
/** and after each batch as much time for others, in parts of what it took. */
const restPerWork = 2;
const retryPauseMs = 500;
export type ProjectorParts = {
  store: EventStore;
  pool: Pool;
  set: ReadModelSet;
  logger: Logger;
  /** Whether this process answers people right now: then rebuilding goes in small steps, with rests. */
  isBusy?: () => boolean;
};

/**
 * Keeps every generation of a set at the log's head, until `signal` aborts. Makes and switches to a new generation when
 * the set's version is not the live one's. Two of these at once do no harm: the checkpoint lets one of them through.
 */
export async function runProjector(parts: ProjectorParts, signal: AbortSignal): Promise<void> {
  const { pool, set, logger } = parts;
  const following = new Map<number, Promise<void>>();
  const own = { wasMade: false };
  let answering: Promise<void> | undefined;
  await forgetStops(parts, signal);
  while (!signal.aborted) {
    try {
      for (const generation of await generationsToFollow(pool, set, own)) {
        if (following.has(generation.id) || generation.stopped) continue;
        const ended = follow(parts, generation, signal)
          .catch((error: unknown) => stopped(parts, generation, error))
          .finally(() => following.delete(generation.id));
        following.set(generation.id, ended);
      }
      const { hasLeftovers, hasRequests } = await findChores(pool, set);
      if (hasRequests) {
        answering ??= answerRequests(parts)
          .catch((error: unknown) =>
            logger.warn({ err: error, set: set.name }, 'could not answer requested operations'),
          )
          .finally(() => {
            answering = undefined;
          });
      }
      if (hasLeftovers) await dropLeftovers(pool);
    } catch (error) {
      logger.warn({ err: error, set: set.name }, 'the generations could not be read, trying again');
    }
    await pause(retryPauseMs, signal);
  }
  await Promise.all([...following.values(), answering]);
}

/** One statement, since it is made again and again, mostly in vain. */
async function findChores(
  pool: Pool,
  { name }: ReadModelSet,
): Promise<{ hasLeftovers: boolean; hasRequests: boolean }> {
  const { rows } = await pool.query<{ hasLeftovers: boolean; hasRequests: boolean }>(
    `select exists (select from readmodel.leftovers) as "hasLeftovers",
       exists (select from readmodel.operations where set_name = $1 and answer is null) as "hasRequests"`,
    [name],
  );
  return rows[0] ?? { hasLeftovers: false, hasRequests: false };
}

/** What stopped before may work by now: with newer code, or with a mended database. */
async function forgetStops({ pool, set, logger }: ProjectorParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await pool.query(
        'update readmodel.generations set stopped_error = null, stopped_position = null where set_name = $1',
        [set.name],
      );
      return;
    } catch (error) {
      logger.warn({ err: error, set: set.name }, 'the generations could not be read, trying again');
      await pause(retryPauseMs, signal);
    }
  }
}

/**
 * What this code follows, with a generation of its own version made where there is none. Once another version has taken the place of
 * this one, other code is at work: this one neither builds its version again nor writes into the other's, or the two would
 * switch for ever.
 */
async function generationsToFollow(pool: Pool, set: ReadModelSet, own: { wasMade: boolean }): Promise<Generation[]> {
  const all = await listGenerations(pool, set.name);
  const isOwn = ({ version }: Generation) => version === set.version;
  const isForeignWork = (generation: Generation) => generation.status === 'building' && !isOwn(generation);
  const kept = all.filter((generation) => !isForeignWork(generation));
  if (kept.some((generation) => isBuiltOrRead(generation, set))) {
    own.wasMade = true;
    return kept;
  }
  if (own.wasMade) return all.filter(isOwn);
  for (const { id } of all.filter(isForeignWork)) await dropGeneration(pool, id);
  const made = await createGeneration(pool, set, { unlessMade: true });
  own.wasMade = true;
  return [...kept, made];
}

/**
 * Applies what there is and what comes. A generation that is being built is switched to once it has caught up, unless it is held: then it
 * waits at the head until an operator switches.
 */
async function follow(parts: ProjectorParts, generation: Generation, signal: AbortSignal): Promise<void> {
  const { store, pool, set, logger } = parts;
  let { position } = generation;
  if (generation.status === 'building') {
    position = await catchUp(parts, generation, signal);
    if (signal.aborted) return;
    await createIndexes(pool, generation);
    position = await catchUp(parts, { ...generation, position }, signal);
    if (signal.aborted) return;
    await startChecksums(pool, generation);
    position = await catchUp(parts, { ...generation, position }, signal);
    if (signal.aborted) return;
    await markReady(pool, generation);
    if (generation.isHeld) {
      logger.info({ set: set.name, generation: generation.id, position: String(position) }, 'generation is ready');
    } else position = await takeOver(parts, { ...generation, position }, signal);
  }
  // One that is live from before there were checksums gets them while it goes on.
  const counting = generation.version === set.version ? countRows(parts, generation) : null;
  try {
    for await (const batch of store.subscribe(position, signal)) {
      position = await apply(parts, generation, position, batch);
    }
  } finally {
    await counting;
  }
}

async function countRows({ pool, set, logger }: ProjectorParts, generation: Generation): Promise<void> {
  await startChecksums(pool, generation).catch((error: unknown) =>
    logger.warn({ err: error, set: set.name, generation: generation.id }, 'rows could not be summed up'),
  );
}

/** Switches to a generation that is ready, and keeps it at the head until that has worked. */
async function takeOver(parts: ProjectorParts, generation: Generation, signal: AbortSignal): Promise<bigint> {
  const { pool, set, logger } = parts;
  let { position } = generation;
  if ((await listGenerations(pool, set.name)).some(({ status }) => status === 'live')) {
    await announceSwitch(pool, generation);
    await pause(announcedMs, signal);
    position = await catchUp(parts, generation, signal);
  }
  const hasSwitched = () => switchGeneration(pool, generation.id, { isNew: true });
  while (!signal.aborted && generation.version === set.version && !(await hasSwitched())) {
    position = await catchUp(parts, { ...generation, position }, signal);
  }
  logger.info({ set: set.name, generation: generation.id, position: String(position) }, 'generation is live');
  return position;
}

/**
 * From the checkpoint to what was the head a moment ago: a log that never rests has always something more. The next page is read while
 * this one is written.
 */
async function catchUp(parts: ProjectorParts, generation: Generation, signal: AbortSignal): Promise<bigint> {
  const { store, set, isBusy = () => false } = parts;
  const readAfter = (after: bigint) => {
    const events = store.readAll(after, isBusy() ? sharedBatch : rebuildBatch, set.unneeded);
    events.catch(() => undefined);
    return events;
  };
  const head = await store.head();
  let { position } = generation;
  let page = position < head ? readAfter(position) : null;
  while (!signal.aborted && page) {
    const start = performance.now();
    const events = await page;
    const last = events.at(-1);
    page = last && last.position < head ? readAfter(last.position) : null;
    position = await apply(parts, generation, position, events);
    if (isBusy()) await pause((performance.now() - start) * restPerWork, signal);
  }
  return position;
}

/** A batch that can't be applied is applied event by event, so that all before the faulty one count. */
async function apply(
  { pool, set }: ProjectorParts,
  generation: Generation,
  from: bigint,
  events: readonly Recorded[],
): Promise<bigint> {
  const target = generation.version === set.version ? { ...generation, tables: set.tables } : generation;
  try {
    return await projectBatch(pool, set, target, from, events);
  } catch (error) {
    if (!(error instanceof ProjectionError) || events.length === 1) throw error;
    let position = from;
    for (const event of events) position = await projectBatch(pool, set, target, position, [event]);
    return position;
  }
}

/** A faulty event stops its generation for good, visibly; everything else is tried again. */
async function stopped({ pool, set, logger }: ProjectorParts, generation: Generation, error: unknown): Promise<void> {
  const at = { set: set.name, generation: generation.id };
  if (error instanceof CheckpointMovedError) {
    logger.debug(at, 'another projector was faster');
  } else if (error instanceof ProjectionError || isUnreadable(error)) {
    logger.error({ ...at, err: error }, 'projection has stopped');
    await pool
      .query(
        // Another projector, of code that can apply the event, may be past it.
        `update readmodel.generations set stopped_error = $1, stopped_position = $2, updated_at = now()
         where id = $3 and ($2::bigint is null or position < $2)`,
        [(error as Error).message, error instanceof ProjectionError ? error.position : null, generation.id],
      )
      .catch((cause: unknown) => logger.error({ ...at, err: cause }, 'the stop could not be recorded'));
  } else logger.warn({ ...at, err: error }, 'projection was interrupted, trying again');
}

/** The log holds something this code can't read; waiting does not help. A log that is away comes back. */
const isUnreadable = (error: unknown) =>
  error instanceof Error && ['UnknownEventVersionError', 'UnreadableEventError'].includes(error.name);
