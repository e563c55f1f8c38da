import type { EventStore } from '@gatebook/eventlog/port';
import type { Pool } from '@gatebook/runtime/postgres';
import type { Generation } from '../generations.ts';
import type { ReadModelSet } from '../sets.ts';
import { type Comparison, compareWithLive } from './compare.ts';
import { askForRebuild, discard, findGeneration, OperationRefusedError, switchTo } from './rebuilds.ts';

/** What operators do with generations, which they name by their schemas. All throw OperationRefusedError. */
export type Rebuilds = {
  /** Asks for a new generation; one at a time. */
  ask(setName: string): Promise<Generation>;
  compare(schema: string): Promise<Comparison>;
  /** To one that waits, or back to the one that is kept. */
  switchTo(schema: string): Promise<void>;
  discard(schema: string): Promise<void>;
};

/** Carries them out on a connection that may write read models. */
export function createRebuilds(parts: { pool: Pool; store: EventStore; sets: readonly ReadModelSet[] }): Rebuilds {
  const { pool, store, sets } = parts;

  function setNamed(name: string): ReadModelSet {
    const set = sets.find((candidate) => candidate.name === name);
    if (!set) throw new OperationRefusedError('unknown', `There is no set ${name} of read models.`);
    return set;
  }

  return {
    ask: async (setName) => (await askForRebuild(pool, setNamed(setName))).generation,
    compare: async (schema) => {
      const { id, setName } = await findGeneration(pool, schema);
      return compareWithLive({ pool, store, set: setNamed(setName) }, id);
    },
    switchTo: async (schema) => {
      const { id, setName } = await findGeneration(pool, schema);
      await switchTo(pool, setNamed(setName), id);
    },
    discard: async (schema) => discard(pool, await findGeneration(pool, schema)),
  };
}
