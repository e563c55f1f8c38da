import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import {
  createGeneration,
  createIndexes,
  dropGeneration,
  type Generation,
  listGenerations,
  switchGeneration,
} from './generations.ts';
import { CheckpointMovedError, ProjectionError, projectBatch } from './projector.ts';
import type { ReadModelSet } from './sets.ts';

const rebuildBatch = 10_000;
const retryPauseMs = 500;

export type ProjectorParts = { store: EventStore; pool: Pool; set: ReadModelSet; logger: Logger };

/**
 * Keeps every generation of a set at the log's head, until `signal` aborts. Makes and switches to a new generation when
 * the set's version is not the live one's. Two of these at once do no harm: the checkpoint lets one of them through.
 */
export async function runProjector(parts: ProjectorParts, signal: AbortSignal): Promise<void> {
  const { pool, set, logger } = parts;
  const following = new Map<number, Promise<void>>();
  const own = { wasMade: false };
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
    } catch (error) {
      logger.warn({ err: error, set: set.name }, 'the generations could not be read, trying again');
    }
    await pause(retryPauseMs, signal);
  }
  await Promise.all(following.values());
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
  if (kept.some((generation) => isOwn(generation) && generation.status !== 'previous')) {
    own.wasMade = true;
    return kept;
  }
  if (own.wasMade) return all.filter(isOwn);
  for (const { id } of all.filter(isForeignWork)) await dropGeneration(pool, id);
  const made = await createGeneration(pool, set);
  own.wasMade = true;
  return [...kept, made];
}

/** Applies what there is and what comes. A generation that is being built is switched to once it has caught up. */
async function follow(parts: ProjectorParts, generation: Generation, signal: AbortSignal): Promise<void> {
  const { store, pool, set, logger } = parts;
  let { position } = generation;
  if (generation.status === 'building') {
    position = await catchUp(parts, generation, signal);
    if (signal.aborted) return;
    await createIndexes(pool, generation);
    position = await catchUp(parts, { ...generation, position }, signal);
    while (!signal.aborted && generation.version === set.version && !(await switchGeneration(pool, generation.id))) {
      position = await catchUp(parts, { ...generation, position }, signal);
    }
    logger.info({ set: set.name, generation: generation.id, position: String(position) }, 'generation is live');
  }
  for await (const batch of store.subscribe(position, signal)) {
    position = await apply(parts, generation, position, batch);
  }
}

/** From the checkpoint to the head: the next page is read while this one is written. */
async function catchUp(parts: ProjectorParts, generation: Generation, signal: AbortSignal): Promise<bigint> {
  const { store } = parts;
  let { position } = generation;
  let page = store.readAll(position, rebuildBatch);
  while (!signal.aborted) {
    const events = await page;
    const last = events.at(-1);
    if (!last) return position;
    page = store.readAll(last.position, rebuildBatch);
    page.catch(() => undefined);
    position = await apply(parts, generation, position, events);
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
        'update readmodel.generations set stopped_error = $1, stopped_position = $2, updated_at = now() where id = $3',
        [(error as Error).message, error instanceof ProjectionError ? error.position : null, generation.id],
      )
      .catch((cause: unknown) => logger.error({ ...at, err: cause }, 'the stop could not be recorded'));
  } else logger.warn({ ...at, err: error }, 'projection was interrupted, trying again');
}

/** The log holds something this code can't read; waiting does not help, as it does while the log is away. */
const isUnreadable = (error: unknown) =>
  error instanceof Error &&
  error.name !== 'LogUnavailableError' &&
  (error.name === 'UnknownEventVersionError' || error.cause !== undefined);
