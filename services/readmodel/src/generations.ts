import { inTransaction, migrate, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import type { Index, Table } from './changes.ts';
import type { ReadModelSet } from './sets.ts';

export type GenerationStatus = 'building' | 'live' | 'previous';
export type Generation = {
  id: number;
  setName: string;
  version: number;
  schema: string;
  status: GenerationStatus;
  tables: readonly Table[];
  /** Checkpoint: every event up to here is in the tables, none after it. */
  position: bigint;
  /** Whether batches keep the checksums of its tables. */
  hasChecksums: boolean;
  stopped: { position: bigint; error: string } | null;
  /** Asked for by an operator: built and kept at the head, but switched to by hand alone. */
  isHeld: boolean;
  /** It had caught up and has all its indexes, so that it can be read. */
  isReady: boolean;
  /** A switch to it or away from it is going on: some processes may read it and others not. */
  isSwitching: boolean;
  createdAt: string;
};

/** What every process needs to hear of a switch. */
export const announcedMs = 300;
/** Longer than any process takes to hear of a switch; for so long answers wait for both generations. */
export const switchingMs = 3000;

/** Of a transaction on which the projectors of other processes wait: it ends when its own process is silent for long. */
export const unlessFrozen = 'set local idle_in_transaction_session_timeout = 5000';

/** Tells every process that another generation is read, or that one came or went. The payload is the set's name. */
export const generationsChannel = 'gatebook_generations';

export async function migrateReadModels(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'readmodel');
}

type GenerationRow = {
  id: string;
  set_name: string;
  version: number;
  schema_name: string;
  status: GenerationStatus;
  tables: readonly Table[];
  position: string;
  has_checksums: boolean;
  stopped_error: string | null;
  stopped_position: string | null;
  is_held: boolean;
  ready_at: Date | null;
  is_switching: boolean;
  created_at: Date;
};

/** All generations of a set, or of all sets; oldest first. */
export async function listGenerations(db: Pool | PoolClient, setName: string | null): Promise<Generation[]> {
  const { rows } = await db.query<GenerationRow>(
    `select *, coalesce(switching_at > now() - $2 * interval '1 ms', false) as is_switching
     from readmodel.generations where $1::text is null or set_name = $1 order by id`,
    [setName, switchingMs],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    setName: row.set_name,
    version: row.version,
    schema: row.schema_name,
    status: row.status,
    tables: row.tables,
    position: BigInt(row.position),
    hasChecksums: row.has_checksums,
    stopped:
      row.stopped_error === null ? null : { position: BigInt(row.stopped_position ?? 0), error: row.stopped_error },
    isHeld: row.is_held,
    isReady: row.ready_at !== null,
    isSwitching: row.is_switching,
    createdAt: row.created_at.toISOString(),
  }));
}

/**
 * A new generation at position 0: tables with their keys, other indexes come when it has caught up. With `unlessMade` it is the one that
 * another projector of the same version has made meanwhile, if there is one.
 */
export async function createGeneration(
  pool: Pool,
  set: ReadModelSet,
  { isHeld = false, unlessMade = false }: { isHeld?: boolean; unlessMade?: boolean } = {},
): Promise<Generation> {
  return inTransaction(pool, async (tx) => {
    if (unlessMade) {
      await lockGenerations(tx);
      const made = (await listGenerations(tx, set.name)).find((generation) => isBuiltOrRead(generation, set));
      if (made) return made;
    }
    const { rows } = await tx.query<{ id: string }>(
      `insert into readmodel.generations (set_name, version, schema_name, status, tables, is_held)
       values ($1, $2, 'unnamed', 'building', $3, $4) returning id`,
      [set.name, set.version, JSON.stringify(set.tables), isHeld],
    );
    const schema = `${set.name}_g${rows[0]?.id}`;
    await tx.query('update readmodel.generations set schema_name = $1 where id = $2', [schema, rows[0]?.id]);
    await createTables(tx, schema, set.tables);
    await notifyChange(tx, set.name);
    const created = (await listGenerations(tx, set.name)).at(-1);
    if (!created) throw new Error(`the new generation of ${set.name} is not there`);
    return created;
  });
}

/** It is what projectors of this version build by themselves, or what they have built. */
export const isBuiltOrRead = ({ version, status, isHeld }: Generation, set: ReadModelSet) =>
  version === set.version && status !== 'previous' && !isHeld;

async function createTables(tx: PoolClient, schema: string, tables: readonly Table[]): Promise<void> {
  await tx.query(`create schema ${schema}`);
  for (const { name, columns, key, indexes = [] } of tables) {
    const lines = Object.entries(columns).map(
      ([column, { type, isNullable }]) => `${column} ${type}${isNullable ? '' : ' not null'}`,
    );
    await tx.query(`create table ${schema}.${name} (${lines.join(', ')}, primary key (${key.join(', ')}))`);
    const personal = Object.keys(columns).filter((column) => columns[column]?.isPersonal);
    const actions = personal.map((column) => `alter column ${column} set statistics 0`);
    if (actions.length > 0) await tx.query(`alter table ${schema}.${name} ${actions.join(', ')}`);
    for (const index of indexes.filter(({ servesWrites }) => servesWrites)) await createIndex(tx, schema, name, index);
  }
}

async function createIndex(db: Pool | PoolClient, schema: string, table: string, index: Index): Promise<void> {
  const { name, on, isUnique, where } = index;
  await db.query(
    `create ${isUnique ? 'unique ' : ''}index if not exists ${name} on ${schema}.${table} ${on}${where ? ` where ${where}` : ''}`,
  );
}

/** The secondary indexes; making them again does nothing. */
export async function createIndexes(
  pool: Pool,
  { schema, tables }: Pick<Generation, 'schema' | 'tables'>,
): Promise<void> {
  if (tables.some(({ indexes = [] }) => indexes.some(({ on }) => on.includes('gin_trgm_ops')))) {
    await pool.query('create extension if not exists pg_trgm');
  }
  for (const { name, indexes = [] } of tables) {
    for (const index of indexes) await createIndex(pool, schema, name, index);
    await pool.query(`analyze ${schema}.${name}`);
  }
}

/** It has caught up and has its indexes. */
export async function markReady(pool: Pool, { id, setName }: Pick<Generation, 'id' | 'setName'>): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('update readmodel.generations set ready_at = coalesce(ready_at, now()) where id = $1', [id]);
    await notifyChange(tx, setName);
  });
}

/**
 * Tells every process that `id` is about to be switched to: from when they have heard of it, an answer waits until its write is in this
 * generation too, so that no process that reads it lacks what another one has answered.
 */
export async function announceSwitch(pool: Pool, { id, setName }: Pick<Generation, 'id' | 'setName'>): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('update readmodel.generations set switching_at = now() where id = $1', [id]);
    await notifyChange(tx, setName);
  });
}

/**
 * Makes `id` the generation that is read, if it is ready and as far as the one read now: whoever has seen a write goes on seeing it.
 * The one read so far is kept for switching back; the one kept before is dropped. With `isNew` it is left alone if it has been read
 * before, and was switched back from meanwhile. @returns false when it is to be tried again
 */
export async function switchGeneration(pool: Pool, id: number, { isNew = false } = {}): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    await lockGenerations(tx);
    const all = await listGenerations(tx, null);
    const next = all.find((generation) => generation.id === id);
    if (!next) throw new Error(`there is no generation ${id}`);
    if (next.status === 'live' || (isNew && next.status === 'previous')) return true;
    const siblings = all.filter(({ setName }) => setName === next.setName);
    const live = siblings.find(({ status }) => status === 'live');
    if (!next.isReady || (live && next.position < live.position)) return false;
    const previous = siblings.find(({ status }) => status === 'previous');
    if (previous && previous.id !== id) await throwAway(tx, previous);
    await tx.query(`update readmodel.generations set status = 'building' where id = $1`, [id]);
    if (live) {
      await tx.query(`update readmodel.generations set status = 'previous', switching_at = now() where id = $1`, [
        live.id,
      ]);
    }
    await tx.query(
      `update readmodel.generations set status = 'live', is_held = false, switching_at = now(), updated_at = now() where id = $1`,
      [id],
    );
    await notifyChange(tx, next.setName);
    return true;
  });
}

/** Throws a generation away, unless it is the one that is read. */
export async function dropGeneration(pool: Pool, id: number): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await lockGenerations(tx);
    const generation = (await listGenerations(tx, null)).find((candidate) => candidate.id === id);
    if (!generation) return;
    if (generation.status === 'live') throw new Error(`generation ${id} is being read`);
    await throwAway(tx, generation);
    await notifyChange(tx, generation.setName);
  });
  await dropLeftovers(pool);
}

/** Its schema is dropped later: somebody may be reading in it for long, like a backup, and checkpoints stand still until the commit. */
async function throwAway(tx: PoolClient, { id, schema }: Generation): Promise<void> {
  await tx.query('delete from readmodel.generations where id = $1', [id]);
  await tx.query('insert into readmodel.leftovers (schema_name) values ($1)', [schema]);
}

/** Drops the schemas of generations that were thrown away. One that somebody still reads in is left for the next time. */
export async function dropLeftovers(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ schema: string }>('select schema_name as schema from readmodel.leftovers');
  for (const { schema } of rows) {
    await inTransaction(pool, async (tx) => {
      await tx.query(`set local lock_timeout = ${readerMs}`);
      const { rowCount } = await tx.query('delete from readmodel.leftovers where schema_name = $1', [schema]);
      if (rowCount === 1) await tx.query(`drop schema ${schema} cascade`);
    }).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
    });
  }
}

/** How long a drop stands in the way of those who come to read, while it waits for those who do. */
const readerMs = 100;

const isLockTimeout = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03';

/** Checkpoints stand still, and nobody else switches or drops, until the transaction ends; a process that freezes does not keep them so. */
const lockGenerations = (tx: PoolClient) =>
  tx.query(`${unlessFrozen}; lock table readmodel.generations in share row exclusive mode`);

const notifyChange = (tx: PoolClient, setName: string) =>
  tx.query('select pg_notify($1, $2)', [generationsChannel, setName]);

/** Whether code whose tables are `wanted` can read a generation that was made with `present`. */
export function canRead(wanted: readonly Table[], present: readonly Table[]): boolean {
  const byName = new Map(present.map((table) => [table.name, table]));
  return wanted.every(({ name, columns, key }) => {
    const table = byName.get(name);
    if (!table || table.key.join() !== key.join()) return false;
    return Object.entries(columns).every(([column, { type }]) => table.columns[column]?.type === type);
  });
}
