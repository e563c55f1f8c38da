import { defineEvents, type EventOf, type Recorded } from '@gatebook/domain/event';
import type { Pool } from '@gatebook/runtime/postgres';
import { z } from 'zod';
import { increment, insert, type Projection, patch, remove, type Table } from '../changes.ts';
import { checkChecksums } from '../consistency/live.ts';
import { defineProjectionGroup, type ProjectionGroup, type TrackedProjection } from '../projection-group.ts';
import { createIndexes } from '../projection-tables.ts';
import {
  allShards,
  createProjectionVersion,
  listProjectionVersions,
  markReady,
  type ProjectionVersion,
} from '../projection-versions.ts';
import { projectBatch } from '../projector.ts';
import { dropProjectionVersion } from '../promotion.ts';
import { inSnapshot } from '../snapshot.ts';
import { createTestLog, type TestLog, type TestLogPlace, testMetadata } from './test-log.ts';

const named = z.object({ personId: z.uuid(), name: z.string().nullable() });
const personal = { subject: 'personId', fields: ['name'] } as const;

export const talliesEvents = defineEvents({
  PersonAdded: { version: 1, data: named, personal },
  PersonRenamed: { version: 1, data: named, personal },
  PersonRemoved: { version: 1, data: z.object({ personId: z.uuid() }) },
});
export type TalliesEvent = EventOf<typeof talliesEvents>;

/** An empty log of `talliesEvents`, in which people belong to projects of different shards. */
export const createTalliesLog = (place?: TestLogPlace): Promise<TestLog> =>
  createTestLog(talliesEvents, place, (stream) => {
    const n = Number(stream.slice(-12));
    return { ...testMetadata, projectId: projectOf(n) };
  });

const projects = ['north', 'farm', 'west'] as const;
export const projectOf = (n: number): string => projects[n % projects.length] ?? projects[0];

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
    person_id: { type: 'uuid' },
    name: { type: 'text', isNullable: true },
    is_gone: { type: 'boolean', default: false },
  },
  key: ['position'],
  indexes: [{ name: 'notes_by_person', on: '(person_id)', servesWrites: true }],
};
const totals: Table = {
  name: 'totals',
  columns: { project_id: { type: 'text' }, kind: { type: 'text' }, times: { type: 'integer', default: 0 } },
  key: ['project_id', 'kind'],
};

/**
 * Three small tables with every kind of change. An event that is applied twice shows in the counts, a skipped one in
 * the notes, which have one row per event. `written_by` is the group's version. Each row belongs to one project.
 */
export function talliesGroup(name: string, version = 1, shards = 1): ProjectionGroup {
  const projection: Projection<TalliesEvent> = {
    PersonAdded: ({ data: { personId: id, name: personName }, position, metadata: { projectId } }) => [
      insert('people', { id, name: personName, written_by: version }),
      insert('notes', { position, person_id: id, name: personName }),
      ...(firstPeople.includes(id) ? [insert('totals', { project_id: projectId, kind: 'renamed' })] : []),
    ],
    PersonRenamed: ({ data: { personId: id, name: personName }, position, metadata: { projectId } }) => [
      patch('people', { id }, { name: personName }),
      increment('people', { id }, { times: 1 }),
      insert('notes', { position, person_id: id, name: personName }),
      increment('totals', { project_id: projectId, kind: 'renamed' }, { times: 1 }),
    ],
    PersonRemoved: ({ data: { personId: id }, position }) => [
      remove('people', { id }),
      patch('notes', { person_id: id }, { is_gone: true }),
      insert('notes', { position, person_id: id, name: null }),
    ],
  };
  const tables = [people, notes, totals];
  return defineProjectionGroup({ name, version, shards, catalog: talliesEvents, tables, projections: [projection] });
}

/** By table: which code its projection has. */
export type TalliesCode = { people?: number; notes?: number; totals?: number };

/** The same tables, of which those with the same code are copied. `written_by` is the code of `people`. */
export function trackedTallies(version: number, code: TalliesCode = {}, shards = 1): ProjectionGroup {
  const { people: written = 1, notes: noted = 1, totals: totaled = 1 } = code;
  const { changesFor } = talliesGroup('main', written);
  const only = (table: Table, types: readonly string[], given: number): TrackedProjection => ({
    projection: Object.fromEntries(
      types.map((type) => [
        type,
        (event: Recorded) => changesFor(event).filter((change) => 'table' in change && change.table === table.name),
      ]),
    ),
    tables: [table],
    code: String(given),
  });
  return defineProjectionGroup({
    ...{ name: 'main', version, shards, catalog: talliesEvents, tables: [people, notes, totals] },
    projections: [
      only(people, Object.keys(talliesEvents), written),
      only(notes, Object.keys(talliesEvents), noted),
      only(totals, ['PersonAdded', 'PersonRenamed'], totaled),
    ],
  });
}

type Recorder = Pick<TestLog, 'record'>;

export const personId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** One of each project. */
const firstPeople: readonly string[] = [1, 2, 3].map((n) => personId(n));
export const personStream = (n: number) => `person-${personId(n)}`;

const recordOne = (log: Recorder, n: number, event: TalliesEvent) => log.record(personStream(n), event);

export const create = (log: Recorder, n: number, name = `person ${n}`) =>
  recordOne(log, n, { type: 'PersonAdded', data: { personId: personId(n), name } });

export const rename = (log: Recorder, n: number, name: string) =>
  recordOne(log, n, { type: 'PersonRenamed', data: { personId: personId(n), name } });

export const erase = (log: Recorder, n: number) =>
  recordOne(log, n, { type: 'PersonRemoved', data: { personId: personId(n) } });

/** Adds five people, renames them and removes some: 30 events. */
export async function recordPeople(log: Recorder): Promise<void> {
  for (let n = 1; n <= 5; n += 1) await create(log, n);
  for (let turn = 1; turn <= 4; turn += 1) {
    for (let n = 1; n <= 5; n += 1) await rename(log, n, `person ${n}.${turn}`);
  }
  for (const n of [2, 4]) await erase(log, n);
  for (const n of [1, 2, 3]) await rename(log, n, 'again');
}

/** All rows of a schema by table, sorted. */
export async function rowsIn(pool: Pool, group: ProjectionGroup, schema: string): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const { name } of group.tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${schema}.${name} t order by 1`);
    tables[name] = rows.map(({ row }) => row);
  }
  return tables;
}

/** Applies the events up to a position. A page has a limit in bytes, so a long log takes several. */
async function projectPages(
  pool: Pool,
  store: TestLog['store'],
  group: ProjectionGroup,
  projectionVersion: ProjectionVersion,
  upTo: bigint,
): Promise<void> {
  for (let position = 0n; position < upTo; ) {
    const events = await store.readAll(position, Number(upTo - position));
    for (const shard of allShards(projectionVersion)) await projectBatch(pool, group, shard, position, events);
    position = events.at(-1)?.position ?? upTo;
  }
}

/** The rows that one undisturbed projector makes of the whole log. */
export async function cleanPass(
  pool: Pool,
  { store }: Pick<TestLog, 'store'>,
  group: ProjectionGroup,
): Promise<Record<string, string[]>> {
  const projectionVersion = await createProjectionVersion(pool, { ...group, shards: 1, name: `clean_${group.name}` });
  try {
    await projectPages(pool, store, group, projectionVersion, await store.head());
    await createIndexes(pool, projectionVersion);
    return await rowsIn(pool, group, projectionVersion.schema);
  } finally {
    await dropProjectionVersion(pool, projectionVersion.id);
  }
}

/** Builds a projection version from the events up to `upTo`, or from all. It can be promoted. */
export async function buildVersion(
  pool: Pool,
  { store }: Pick<TestLog, 'store'>,
  group: ProjectionGroup,
  upTo?: bigint,
): Promise<ProjectionVersion> {
  const made = await createProjectionVersion(pool, group);
  await projectPages(pool, store, group, made, upTo ?? (await store.head()));
  await createIndexes(pool, made);
  await markReady(pool, made);
  return made;
}

export async function liveOf(pool: Pool, groupName: string): Promise<ProjectionVersion | undefined> {
  return (await listProjectionVersions(pool, groupName)).find(({ status }) => status === 'live');
}

/** Tables whose rows do not match their checksums; all tables while the checksums are incomplete. */
export async function wrongChecksums(pool: Pool, projectionVersion: ProjectionVersion): Promise<string[]> {
  const names = projectionVersion.tables.map(({ name }) => name);
  const checks = await inSnapshot(pool, (snapshot) => checkChecksums(snapshot, projectionVersion, names));
  return checks.filter(({ state }) => state !== 'matches').map(({ table, state }) => `${table}: ${state}`);
}
