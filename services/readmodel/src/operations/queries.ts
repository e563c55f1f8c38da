import type { Pool } from '@gatebook/runtime/postgres';
import { type GenerationStatus, listGenerations } from '../generations.ts';
import { newestProofs, type Proof } from '../proof/proofs.ts';

export type FollowerStatus = {
  /** Of a set, or of a reactor. */
  name: string;
  /** null for a reactor. */
  generation: string | null;
  position: bigint;
  state: 'following' | 'stopped';
  error: string | null;
};
export type GenerationRow = {
  set: string;
  id: string;
  version: number;
  state: GenerationStatus;
  isHeld: boolean;
  isReady: boolean;
  error: string | null;
  position: bigint;
  /** Milliseconds since 1970. */
  createdAt: number;
};
export type OperationsStatus = { followers: FollowerStatus[]; generations: GenerationRow[]; proofs: Proof[] };

/** How far every follower of the log is, which generations there are, and what came out when they were held against the log. */
export async function operationsStatus(pool: Pool): Promise<OperationsStatus> {
  const [generations, reactors, proofs] = await Promise.all([
    listGenerations(pool, null),
    pool.query<{ name: string; position: string; stopped_error: string | null }>(
      'select name, position, stopped_error from readmodel.followers order by name',
    ),
    newestProofs(pool),
  ]);
  // By name: which set was made first is chance.
  const live = generations
    .filter(({ status }) => status === 'live')
    .toSorted((one, other) => (one.setName < other.setName ? -1 : 1));
  return {
    followers: [
      ...live.map(({ setName, schema, position, stopped }) =>
        follower(setName, schema, position, stopped?.error ?? null),
      ),
      ...reactors.rows.map((row) => follower(row.name, null, BigInt(row.position), row.stopped_error)),
    ],
    generations: generations.map(
      ({ setName, schema, version, status, position, createdAt, isHeld, isReady, stopped }) => ({
        set: setName,
        id: schema,
        version,
        state: status,
        isHeld,
        isReady,
        error: stopped?.error ?? null,
        position,
        createdAt: Date.parse(createdAt),
      }),
    ),
    proofs,
  };
}

function follower(name: string, generation: string | null, position: bigint, error: string | null): FollowerStatus {
  return { name, generation, position, state: error === null ? 'following' : 'stopped', error };
}
