import type { GatebookEvent } from '@gatebook/domain/catalogue';
import type { UserEvent } from '@gatebook/domain/user/events';
import type { Pool } from '@gatebook/runtime/postgres';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { increment, insert, patch, remove, type Table } from '../changes.ts';
import { checkChecksums } from '../consistency/live.ts';
import { defineProjectionGroup, type ProjectionGroup } from '../projection-groups.ts';
import {
  createIndexes,
  createProjectionVersion,
  dropProjectionVersion,
  listProjectionVersions,
  type ProjectionVersion,
} from '../projection-versions.ts';
import { projectBatch } from '../projector.ts';
import { inSnapshot } from '../snapshot.ts';
import type { TestLog } from './read-side.ts';

const people: Table = {
  name: 'people',
  columns: {
    id: { type: 'uuid' },
    name: { type: 'text', isNullable: true },
    times: { type: 'integer', default: 0 },
    written_by: { type: 'integer' },
  },
  key: ['id'],
  indexes: [{ name: 'people_by_name', on: '(name)' }],
};
const notes: Table = {
  name: 'notes',
  columns: {
    position: { type: 'bigint' },
    user_id: { type: 'uuid' },
    name: { type: 'text', isNullable: true },
    is_gone: { type: 'boolean', default: false },
  },
  key: ['position'],
  indexes: [{ name: 'notes_by_user', on: '(user_id)', servesWrites: true }],
};
const totals: Table = {
  name: 'totals',
  columns: { kind: { type: 'text' }, times: { type: 'integer', default: 0 } },
  key: ['kind'],
};

type Data<Type extends UserEvent['type']> = { data: Extract<UserEvent, { type: Type }>['data']; position: bigint };

/**
 * Three small tables with every kind of change. An event that is applied twice shows in the counts, one that is skipped in the
 * notes, of which there is one per event. `written_by` is the set's version.
 */
export function talliesGroup(name: string, version = 1): ProjectionGroup {
  return defineProjectionGroup({
    name,
    version,
    tables: [people, notes, totals],
    projections: [
      {
        UserCreated: ({ data: { userId, displayName }, position }: Data<'UserCreated'>) => [
          insert('people', { id: userId, name: displayName, written_by: version }),
          insert('notes', { position, user_id: userId, name: displayName }),
          ...(userId === personId(1) ? [insert('totals', { kind: 'renamed' })] : []),
        ],
        UserRenamed: ({ data: { userId, displayName }, position }: Data<'UserRenamed'>) => [
          patch('people', { id: userId }, { name: displayName }),
          increment('people', { id: userId }, { times: 1 }),
          insert('notes', { position, user_id: userId, name: displayName }),
          increment('totals', { kind: 'renamed' }, { times: 1 }),
        ],
        UserDeleted: ({ data: { userId }, position }: Data<'UserDeleted'>) => [
          remove('people', { id: userId }),
          patch('notes', { user_id: userId }, { is_gone: true }),
          insert('notes', { position, user_id: userId, name: null }),
        ],
      },
    ],
  });
}

export const personId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const rename = (log: Pick<TestLog, 'record'>, n: number, displayName: string) =>
  log.record(`user-${personId(n)}`, { type: 'UserRenamed', data: { userId: personId(n), displayName, at } });

export function create(log: Pick<TestLog, 'record'>, n: number): Promise<bigint> {
  const profile = { displayName: `person ${n}`, profileImageUrl: null, isAnonymous: false };
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const data = { userId: personId(n), projectId: 'internal', ...profile, ...metadata, method: 'password' as const, at };
  return log.record(`user-${personId(n)}`, { type: 'UserCreated', data } satisfies GatebookEvent);
}

export const erase = (log: Pick<TestLog, 'record'>, n: number) =>
  log.record(`user-${personId(n)}`, {
    type: 'UserDeleted',
    data: { addressRefs: [], userId: personId(n), projectId: 'internal', at },
  } satisfies GatebookEvent);

/** Five people who are made, renamed and in part deleted: 30 events. */
export async function recordPeople(log: Pick<TestLog, 'record'>): Promise<void> {
  for (let n = 1; n <= 5; n += 1) await create(log, n);
  for (let turn = 1; turn <= 4; turn += 1) {
    for (let n = 1; n <= 5; n += 1) await rename(log, n, `person ${n}.${turn}`);
  }
  for (const n of [2, 4]) await erase(log, n);
  for (const n of [1, 2, 3]) await rename(log, n, 'again');
}

/** All rows of a schema by table, in an order of their own. */
export async function rowsIn(pool: Pool, set: ProjectionGroup, schema: string): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const { name } of set.tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${schema}.${name} t order by 1`);
    tables[name] = rows.map(({ row }) => row);
  }
  return tables;
}

/** What one projector that nothing happens to makes of the whole log, in one batch. */
export async function cleanPass(
  pool: Pool,
  { store }: Pick<TestLog, 'store'>,
  set: ProjectionGroup,
): Promise<Record<string, string[]>> {
  const projectionVersion = await createProjectionVersion(pool, { ...set, name: `clean_${set.name}` });
  try {
    await projectBatch(pool, set, projectionVersion, 0n, await store.readAll(0n, 100_000));
    await createIndexes(pool, projectionVersion);
    return await rowsIn(pool, set, projectionVersion.schema);
  } finally {
    await dropProjectionVersion(pool, projectionVersion.id);
  }
}

export async function liveOf(pool: Pool, groupName: string): Promise<ProjectionVersion | undefined> {
  return (await listProjectionVersions(pool, groupName)).find(({ status }) => status === 'live');
}

/** Tables whose rows do not add up to what the batches say; all of them while they are not summed up yet. */
export async function wrongChecksums(pool: Pool, projectionVersion: ProjectionVersion): Promise<string[]> {
  const names = projectionVersion.tables.map(({ name }) => name);
  const checks = await inSnapshot(pool, (snapshot) => checkChecksums(snapshot, projectionVersion, names));
  return checks.filter(({ state }) => state !== 'matches').map(({ table, state }) => `${table}: ${state}`);
}
