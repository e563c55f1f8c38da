import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DomainEvent } from '@gatebook/domain/event';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { newId } from '@gatebook/runtime/ids';
import type { PoolClient } from '@gatebook/runtime/postgres';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dimensions } from './metrics/counting.ts';
import { definedQueries, type ProjectQuery, restrictToProject } from './read-db.ts';
import { everyTable } from './testing/every-table.ts';
import { first, startFilledReadSide } from './testing/filled-read-side.ts';
import { knownValues, parameterTypes, valuesFor } from './testing/query-values.ts';
import type { ReadSide } from './testing/read-side.ts';

const second = 'second';
const folder = new URL('./', import.meta.url);

/** Loads every module that defines queries. */
async function loadQueries(): Promise<void> {
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file.includes('testing/')) continue;
    const text = await readFile(new URL(file, folder), 'utf8');
    if (/define((CrossProject)?(Paged)?Query|Shapes)\(/.test(text)) await import(fileURLToPath(new URL(file, folder)));
  }
}
await loadQueries();
const all = definedQueries();
/** One of deleted projects finds nothing else (see the test below). */
const ofOneProject = all.filter(
  ({ scope, projects }) => scope === 'project' && projects !== 'deleted',
) as readonly ProjectQuery[];

let side: ReadSide;

beforeAll(async () => {
  side = await startFilledReadSide();
  session = await side.pools.api.connect();
  await session.query('set plan_cache_mode = force_generic_plan');
});
afterAll(async () => {
  session.release(true);
  await side.close();
});

/** Its session plans each text once: there are many values for some queries, and planning takes longer than running. */
let session: PoolClient;
async function run(text: string, projectId: string, values: readonly unknown[]): Promise<string> {
  const name = createHash('sha1').update(text).digest('hex');
  return JSON.stringify((await session.query({ name, text, values: [projectId, ...values] })).rows);
}

/** Values for which a query returns rows of the first project, and what it returns for a project without data. */
async function findRows(query: ProjectQuery, text: string): Promise<{ values: readonly unknown[]; nothing: string }> {
  const [project, ...types] = await parameterTypes(side, text);
  expect(project).toBe('text');
  for await (const values of valuesFor(side, query, types)) {
    const rows = await run(text, first, values);
    if (rows === '[]') continue;
    // The answer for a project without data: no rows, or days with zeros.
    const nothing = await run(text, 'nothing', values);
    if (rows === nothing) continue;
    const known = knownValues.get(types.join()) ?? [];
    if (!known.includes(values)) knownValues.set(types.join(), [values, ...known]);
    return { values, nothing };
  }
  return expect.fail(`found no values for which ${query.name} returns rows of the given project`);
}

/** Runs a query after the deletion of the first project, and takes the deletion back. */
async function runAfterDeletion(text: string, values: readonly unknown[]): Promise<string> {
  const schemas = ['main', 'metrics', 'audit', 'events'].map((group) => side.readModels.schema(group));
  const client = await side.database.pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into readmodel.tombstones (schema_name, column_name, value, position)
       select schema, 'project_id', $2, 0 from unnest($1::text[]) schema`,
      [schemas, first],
    );
    return JSON.stringify((await client.query(text, [first, ...values])).rows);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The row of the project itself is removed at once, and activity by the worker. */
const notHidden: readonly string[] = [
  'find-project',
  'count-rejections',
  ...['metrics-total', 'metrics-active', 'metrics-countries', 'find-user-activity', 'list-key-uses'],
  'find-user-language',
  ...['count-active-users', 'list-active-users', 'find-rejected-request', 'find-rejection'],
  'count-rejections-over-time',
  ...['find-first-request', 'find-latest-rejection'],
  ...['list-metric-runs', 'custom-metric-counts'],
  ...['saved-counts', 'last-counted-day', 'first-counted-day', 'count-active-in-hours'],
  ...dimensions.flatMap((one) => ['days', 'between', 'hours', 'since'].map((kind) => `count-active-${kind}-by-${one}`)),
  ...dimensions.flatMap((one) => ['days', 'hours'].map((kind) => `people-of-active-${kind}-by-${one}`)),
  ...['time', 'user', 'request'].flatMap((by) => [`list-rejections-by-${by}-asc`, `list-rejections-by-${by}-desc`]),
];

describe.each([
  ['as executed', restrictToProject],
  ['as written, by its own conditions', ({ sql }: ProjectQuery, schema: string) => sql(schema)],
])('with the ID of another project or of a deleted one, a query %s finds nothing', (_, textOf) => {
  test.each(ofOneProject.map((query) => [query.name, query] as const))('%s', async (_name, query) => {
    const text = textOf(query, side.readModels.schema(query.group ?? 'main'));
    const { values, nothing } = await findRows(query, text);
    expect(await run(text, second, values)).toBe(nothing);
    expect(await run(text, 'internal', values)).toBe(nothing);
    if (textOf === restrictToProject && !notHidden.includes(query.name)) {
      expect(await runAfterDeletion(text, values)).toBe(nothing);
    }
  });
});

test('a query without a project condition returns no rows of another project', async () => {
  const forgetful = {
    name: 'forgetful',
    sql: (schema: string) => `select u.id, c.value, t.display_name, a.country
      from ${schema}.users u left join ${schema}.contact_channels c on c.user_id = u.id, ${schema}.teams as t
      left join activity.users a on true where $1 <> ''`,
  } as ProjectQuery;
  expect(await side.db.rows(forgetful, [second])).toEqual([]);
  expect((await side.db.rows(forgetful, [first])).length).toBeGreaterThan(0);
});

test('a project that awaits deletion is found as such only, and has no owners', async () => {
  const [query] = all.filter(({ name }) => name === 'find-deleted-project') as readonly ProjectQuery[];
  const schema = side.readModels.schema('main');
  const projectId = '00000000-0000-4000-8001-0000000000dd';
  const ownerId = newId();
  const record = createRecord(side.store, { ...testMetadata, projectId });
  const created = everyTable.flatMap(({ events }) => events).find(({ type }) => type === 'ProjectCreated');
  const project = { projectId, at };
  await record(`project-${projectId}`, { ...created, data: { ...created?.data, ...project } } as DomainEvent);
  await record(`project-${projectId}`, { type: 'ProjectOwnerAdded', data: { ...project, userId: ownerId } });
  const find = async () => {
    await side.readModels.reached(await side.store.head(), pollDeadlineMs);
    const ids = async (one: ProjectQuery) => (await side.db.rows<{ id: string }>(one, [projectId])).map(({ id }) => id);
    const owners = {
      name: `owners-${newId()}`,
      sql: () => `select o.user_id as id from ${schema}.project_members o`,
    } as unknown as ProjectQuery;
    const existing = all.find(({ name }) => name === 'find-project') as ProjectQuery;
    return { existing: await ids(existing), deleted: await ids(query as ProjectQuery), owners: await ids(owners) };
  };
  const open = { existing: [projectId], deleted: [], owners: [ownerId] };
  expect(await find()).toEqual(open);
  await record(`project-${projectId}`, { type: 'ProjectDeletionScheduled', data: { ...project, deleteAt: at } });
  expect(await find()).toEqual({ existing: [], deleted: [projectId], owners: [] });
  await record(`project-${projectId}`, { type: 'ProjectDeletionCanceled', data: project });
  expect(await find()).toEqual(open);
});

test('a query of an unknown table does not run', async () => {
  const strange = { name: 'strange', sql: (schema: string) => `select from ${schema}.secrets s` } as ProjectQuery;
  await expect(async () => side.db.rows(strange, [first])).rejects.toThrow(
    'table secrets belongs to no projection group',
  );
});

test('only these queries cross projects', () => {
  const names = all.filter(({ scope }) => scope === 'all').map(({ name }) => name);
  expect(names.sort()).toEqual([
    'find-api-key-by-hash',
    'list-deleted-projects',
    'list-due-deletions',
    'list-ended-emails',
    'list-ended-mailings',
    'list-incomplete-mailings',
    'list-owned-projects',
    'list-pending-emails',
    'list-projects-with-custom-metrics',
    'list-projects-with-webhooks',
    'list-rejection-retentions',
    ...['created_at', 'display_name', 'last_active_at', 'user_count'].flatMap((order) => [
      `search-projects-by-${order}`,
      `search-projects-by-${order}-descending`,
    ]),
  ]);
});
