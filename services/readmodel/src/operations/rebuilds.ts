import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import {
  announcedMs,
  announceSwitch,
  canRead,
  createGeneration,
  dropGeneration,
  type Generation,
  listGenerations,
  switchGeneration,
} from '../generations.ts';
import type { ReadModelSet } from '../sets.ts';

export type RefusedBecause =
  | 'unknown'
  | 'nothing-live'
  | 'other-version'
  | 'not-ready'
  | 'stopped'
  | 'behind'
  | 'in-use';

/** What an operator asked for can't be done as things stand; `message` says why, and what to do. */
export class OperationRefusedError extends Error {
  readonly because: RefusedBecause;

  constructor(because: RefusedBecause, message: string) {
    super(message);
    this.name = 'OperationRefusedError';
    this.because = because;
  }
}

/** How long a switch waits for its generation to be level with the live one. */
const levelTimeoutMs = 20_000;
const levelPauseMs = 20;

/**
 * Asks for a new generation of a set. The projectors build it and keep it at the head; it waits there to be compared and switched to.
 * One at a time: `isNew` is false where one was asked for before. @throws OperationRefusedError
 */
export async function askForRebuild(
  pool: Pool,
  set: ReadModelSet,
): Promise<{ generation: Generation; isNew: boolean }> {
  const all = await listGenerations(pool, set.name);
  const live = all.find(({ status }) => status === 'live');
  if (!live) throw new OperationRefusedError('nothing-live', `${set.name} is being built already, for the first time.`);
  mustBeOfThisVersion(live, set, 'rebuilt');
  const held = all.find(({ isHeld }) => isHeld);
  if (held) return { generation: held, isNew: false };
  try {
    return { generation: await createGeneration(pool, set, { isHeld: true }), isNew: true };
  } catch (error) {
    const other = (await listGenerations(pool, set.name)).find(({ isHeld }) => isHeld);
    if (!other) throw error;
    return { generation: other, isNew: false };
  }
}

/** A projector of one version leaves those of another alone. */
function mustBeOfThisVersion({ schema, version }: Generation, set: ReadModelSet, done: string): void {
  if (version === set.version) return;
  throw new OperationRefusedError(
    'other-version',
    `${schema} is of version ${version}, this program is of version ${set.version}: it can be ${done} only by its own version.`,
  );
}

/** A generation by the name of its schema. @throws OperationRefusedError when there is none */
export async function findGeneration(pool: Pool, schema: string): Promise<Generation> {
  const found = (await listGenerations(pool, null)).find((generation) => generation.schema === schema);
  if (!found) throw new OperationRefusedError('unknown', `There is no generation ${schema}.`);
  return found;
}

/** The generation that was asked for and waits. @throws OperationRefusedError when there is none */
export async function findHeld(pool: Pool, setName: string): Promise<Generation> {
  const held = (await listGenerations(pool, setName)).find(({ isHeld }) => isHeld);
  if (!held) throw new OperationRefusedError('unknown', `No rebuild of ${setName} has been asked for.`);
  return held;
}

/**
 * Makes a generation the one that is read, once it is level with the live one. The one read so far is kept at the head, to switch back
 * to. @throws OperationRefusedError
 */
export async function switchTo(pool: Pool, set: ReadModelSet, id: number, timeoutMs = levelTimeoutMs): Promise<void> {
  const first = await mustBeSwitchable(pool, set, id);
  if (first.status === 'live') return;
  await announceSwitch(pool, first);
  await pause(announcedMs);
  const end = performance.now() + timeoutMs;
  while (!(await switchGeneration(pool, id))) {
    const { schema, position } = await mustBeSwitchable(pool, set, id);
    if (performance.now() > end) {
      throw new OperationRefusedError(
        'behind',
        `${schema} stays behind the live generation (it is at ${position}): is its projector running?`,
      );
    }
    await pause(levelPauseMs);
  }
}

async function mustBeSwitchable(pool: Pool, set: ReadModelSet, id: number): Promise<Generation> {
  const generation = (await listGenerations(pool, set.name)).find((candidate) => candidate.id === id);
  if (!generation) throw new OperationRefusedError('unknown', `There is no such generation of ${set.name}.`);
  const { schema, tables, stopped, isReady, position } = generation;
  mustBeOfThisVersion(generation, set, 'switched to');
  if (!canRead(set.tables, tables)) {
    throw new OperationRefusedError('other-version', `${schema} has tables that this program can't read.`);
  }
  if (stopped) throw new OperationRefusedError('stopped', `${schema} has stopped: ${stopped.error}`);
  if (!isReady)
    throw new OperationRefusedError('not-ready', `${schema} is still being built; it is at position ${position}.`);
  return generation;
}

/** Switches to the generation that was read before. @returns its schema @throws OperationRefusedError */
export async function switchBack(pool: Pool, set: ReadModelSet): Promise<string> {
  const previous = (await listGenerations(pool, set.name)).find(({ status }) => status === 'previous');
  if (!previous) throw new OperationRefusedError('unknown', `No earlier generation of ${set.name} is kept.`);
  await switchTo(pool, set, previous.id);
  return previous.schema;
}

/** Throws a generation away that was asked for, or that is kept to switch back to. @throws OperationRefusedError */
export async function discard(pool: Pool, { id, schema, status, isHeld }: Generation): Promise<void> {
  if (status === 'live') throw new OperationRefusedError('in-use', `${schema} is being read.`);
  if (status === 'building' && !isHeld) {
    throw new OperationRefusedError('in-use', `${schema} is being built because this version needs it.`);
  }
  await dropGeneration(pool, id);
}
