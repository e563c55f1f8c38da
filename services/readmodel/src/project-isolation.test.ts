import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DomainEvent } from '@gatebook/domain/event';
import { createRecord, silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { newId } from '@gatebook/runtime/ids';
import type { PoolClient } from '@gatebook/runtime/postgres';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createActivity } from './activity/activity.ts';
import { auditDrivers } from './audit/filters.ts';
import { dimensions } from './metrics/counting.ts';
import { definedQueries, type ProjectQuery, restrictToProject } from './read-db.ts';
import { everyTable } from './testing/every-table.ts';
import { type ReadSide, startReadSide } from './testing/read-side.ts';

const [first, second] = ['first', 'second'];
const [firstId, lastId] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
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
  side = await startReadSide();
  const { store, database, readModels } = side;
  const record = createRecord(store, { ...testMetadata, projectId: first });
  const steps = JSON.parse(JSON.stringify(everyTable).replaceAll('"internal"', `"${first}"`)) as typeof everyTable;
  for (const { stream, events } of steps) await record(stream, ...events);
  await record(...sessionElsewhere(steps));
  await readModels.reached(await store.head(), pollDeadlineMs);
  const { rows: users } = await database.pool.query<{ user_id: string; id: string }>(
    `select user_id, id from ${readModels.schema('main')}.sessions where project_id = $1`,
    [first],
  );
  const activity = createActivity({ pool: side.pools.api, logger });
  for (const { user_id: userId, id: sessionId } of users) {
    activity.record({
      projectId: first,
      userId,
      sessionId,
      at: new Date().toISOString(),
      ip: null,
      country: 'DE',
      device: null,
      language: 'de-DE',
    });
    activity.recordKeyUse({ keyId: newId(), ownerId: userId, projectId: first, at });
  }
  await activity.close();
  await database.pool.query(`insert into activity.active_users values ($1, '2026-01-20', 7, 3, 2, 1)`, [first]);
  await database.pool.query(
    `insert into activity.counts values ($1, 'active_users', 'day', 'all', '2026-01-20', '', 3)`,
    [first],
  );
  await database.pool.query(
    `insert into activity.metric_progress (metric_id, project_id, revision, run, position, index, nth, first_position, target_position, is_complete)
     values ($2, $1, 1, $2, 1, 0, 0, 0, 1, true)`,
    [first, firstId],
  );
  await database.pool.query(
    `insert into activity.first_requests (project_id, at, access_type) values ($1, '2026-01-20', 'client')`,
    [first],
  );
  await database.pool.query(`insert into activity.metric_counts values ($2, $2, '2026-01-20', true, '', $1, 3)`, [
    first,
    firstId,
  ]);
  await database.pool.query(
    `insert into activity.rejections (project_id, window_at, code, route, count, first_at, last_at, first_request_id, last_request_id)
     values ($1, '2026-01-20', 'code', 'route', 1, '2026-01-20', '2026-01-20', 'request', 'request')`,
    [first],
  );
  await database.pool.query(
    `insert into activity.rejected_requests (request_id, project_id, window_at, at, code, status, route)
     values ('request', $1, '2026-01-20', '2026-01-20', 'code', 400, 'route')`,
    [first],
  );
  // The state of an email after its last attempt, which would need too many events here.
  await database.pool.query(`update ${readModels.schema('main')}.emails set state = 'dead'`);
  await appendUndo(record);
  await database.pool.query(
    `insert into activity.rejections (project_id, window_at, code, route, user_id, network, count, first_at, last_at,
       first_request_id, last_request_id)
     values ($1, $2, 'CODE', 'route', $3, '203.0.113.0/24', 1, $2, $2, 'request', 'request')`,
    [first, at, users[0]?.user_id],
  );
  await vi.waitUntil(async () => (await listSignUps('metrics')).length > 0);
  await readModels.reached(await store.head(), pollDeadlineMs, [], { group: 'audit' });
  await readModels.reached(await store.head(), pollDeadlineMs, [], { group: 'events' });
  session = await side.pools.api.connect();
  await session.query('set plan_cache_mode = force_generic_plan');
});
afterAll(async () => {
  session.release(true);
  await side.close();
});

/** Creates another session, from another device, for the first user with a session. */
function sessionElsewhere(steps: typeof everyTable): [stream: string, event: DomainEvent] {
  const started = steps.flatMap(({ events }) => events).find(({ type }) => type === 'SessionStarted');
  if (!started) throw new Error('no session was found');
  const sessionId = newId();
  const data = { ...started.data, sessionId, refreshTokenHash: sessionId, ip: '198.51.100.7' };
  return [`session-${sessionId}`, { type: 'SessionStarted', data }];
}

/** A deletion of a team, a request that caused nothing yet, and one that undid it. */
async function appendUndo(record: ReturnType<typeof createRecord>): Promise<void> {
  const { store } = side;
  const actor = { kind: 'owner' as const, id: newId() };
  const teamId = newId();
  await record(`team-${teamId}`, { type: 'TeamDeleted', data: { teamId, projectId: first, wasScheduled: false, at } });
  const [deleted] = (await store.readStream(`team-${teamId}`)).events;
  const undo = { ...testMetadata, projectId: first, requestId: 'undo', correlationId: 'undo', actor };
  const event = { type: 'TeamDeleted', data: { teamId, projectId: first, wasScheduled: false, at } };
  await store.append([{ stream: `team-${newId()}`, expected: -1n, events: [event] }], {
    ...undo,
    causationId: deleted?.id ?? null,
  });
}

const listSignUps = async (group: string) =>
  (
    await side.database.pool.query(`select from ${side.readModels.schema(group)}.sign_ups where project_id = $1`, [
      first,
    ])
  ).rows;

/** Default values by type, first those that most likely return rows. */
const defaultValues: Readonly<Record<string, readonly unknown[]>> = {
  uuid: [null, firstId, lastId],
  text: ['%', null],
  integer: [100, 0],
  bigint: [100, null, 0, '9'.repeat(17)],
  boolean: [true],
  date: ['2026-01-20', new Date().toISOString().slice(0, 10)],
  'timestamp with time zone': ['2030-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
};

/**
 * Values for the parameter `$n`: the first project's values of the columns that the query compares with it, or default
 * values.
 */
async function candidatesFor(query: ProjectQuery, n: number, type: string): Promise<unknown[]> {
  const schema = side.readModels.schema(query.group ?? 'main');
  const text = query.sql(schema);
  const tables = [...text.matchAll(new RegExp(`\\b((?:${schema}|activity)\\.\\w+)(?:\\s+(?:as\\s+)?(\\w+))?`, 'g'))];
  const found: unknown[] = [];
  for (const [, alias, column] of text.matchAll(new RegExp(`(?:(\\w+)\\.)?(\\b\\w+) = (?:any\\()?\\$${n}\\b`, 'g'))) {
    for (const [, table = '', ownAlias] of tables) {
      if (alias !== undefined && alias !== ownAlias) continue;
      const { rows } = await side.database.pool
        .query<{ value: string }>(
          `select distinct ${column}::text as value from ${table} where to_jsonb(${table.split('.')[1]}) ->> 'project_id' = $1
           and ${column} is not null order by 1 limit 4`,
          [first],
        )
        .catch(() => ({ rows: [] }));
      found.push(...rows.map(({ value }) => value));
    }
  }
  if (type.endsWith('[]')) return [found, null];
  const literals = type === 'text' ? [...text.matchAll(/'(\w+)'/g)].map(([, literal]) => literal) : [];
  return [...new Set([...found, ...(defaultValues[type] ?? []), ...literals])];
}

const forever = ['-infinity', 'infinity'];
const noExceptions = [null, null, null, null];
const noFilter = [null, null, null, null, null, null, null, true, ...noExceptions];
const last = '9'.repeat(18);

/** Direct grants are found by their keys. */
async function grantValues({ name }: ProjectQuery): Promise<unknown[] | null> {
  const [, find, count, counted] = /^(?:find-(\w+)-permission-holders|count-(\w+)-(grants|holders))$/.exec(name) ?? [];
  const table = `${side.readModels.schema('main')}.${find ?? count}_permissions`;
  if (!find && !count) return null;
  const { rows } = await side.database.pool.query<{ permission: string }>(
    `select permission from ${table} where project_id = $1`,
    [first],
  );
  const keys = rows.map(({ permission }) => permission);
  if (counted === 'holders') return [JSON.stringify([keys]), keys];
  return count ? [keys] : [JSON.stringify([{ nth: 0, having: keys, lacking: [] }]), 100];
}

/** Values for queries of events, which have too many parameters to try; null for other queries. */
async function auditValues({ name }: ProjectQuery): Promise<unknown[] | null> {
  const valuesOf = async (column: string) => {
    const text = `select distinct ${column}::text as value from ${side.readModels.schema('audit')}.audit_events
      where project_id = $1 and ${column} is not null`;
    return (await side.database.pool.query<{ value: string }>(text, [first])).rows.map(({ value }) => value);
  };
  const from = name.endsWith('asc') ? ['-infinity', -1] : ['infinity', last];
  const [, kind, driverName] = /^(list|count)-audit-events-(.*?)(?:-of-\d+-(?:asc|desc))?$/.exec(name) ?? [];
  const driver = Object.values(auditDrivers).find((one) => one.name === driverName);
  if (driver) {
    const values = await valuesOf(driver.columns[0]);
    const page = kind === 'list' ? [...from, ...forever, 100] : [0, 1e14, 1, 100];
    return [values, ...page, ...noFilter];
  }
  const [, by, order] = /^list-rejections-by-(\w+)-(\w+)$/.exec(name) ?? [];
  if (by) {
    const { rows } = await side.database.pool.query(
      'select user_id from activity.rejections where project_id = $1 and user_id is not null',
      [first],
    );
    const value = by === 'time' ? null : by === 'user' ? rows[0]?.user_id : 'request';
    return [
      value,
      from[0],
      order === 'asc' ? firstId : lastId,
      ...forever,
      100,
      null,
      null,
      null,
      null,
      false,
      ...noExceptions,
    ];
  }
  if (name === 'count-rejections-over-time') return [null, 0, 1e14, 1, 100, null, false, null, null, ...noExceptions];
  if (name === 'list-caused-audit-events') return [await valuesOf('causation_id'), 100];
  if (name === 'list-undone-actions') return [await valuesOf('request_id')];
  const types = await valuesOf('type');
  if (name === 'list-naming-audit-events') return [await valuesOf('object_id'), types, last];
  if (name === 'list-address-audit-events') return [await valuesOf('user_id'), types, last];
  const [, source] = /^list-public-events-(\w+)$/.exec(name) ?? [];
  if (source) {
    const column = { all: 'project_id', kind: 'kind', user: 'user_id', team: 'team_id' }[source] ?? '';
    return [await publicValuesOf(column), 0, 0, last, 100, null, null, null, null];
  }
  if (name === 'find-public-events') {
    const ids = await publicValuesOf('event_id');
    return [ids, ids.map(() => 0)];
  }
  if (name === 'list-memberships-at') {
    const users = await publicValuesOf('user_id', 'holdings');
    return [users, users.map(() => last)];
  }
  if (name === 'list-selections-at') return [(await publicValuesOf('team_id', 'holdings'))[0], last, 0, null, 100];
  if (name === 'list-erased-subjects') return [[...(await valuesOf('user_id')), ...(await valuesOf('team_id'))]];
  return null;
}

/** Values for counts in intervals. */
function analyticsValues({ name }: ProjectQuery): unknown[] | null {
  const [from, until] = ['2020-01-01', '2030-01-01'];
  if (/^count-(sign-ups-by|sign-ins-by|joined)/.test(name)) return [[from, until]];
  if (/^count-active-(days|between|hours)-by/.test(name)) return [from, until];
  if (/^count-active-since-by/.test(name)) return [from];
  if (name === 'count-active-in-hours') return [[new Date().toISOString().slice(0, 10)], [0xffffff]];
  if (name === 'saved-counts') return ['active_users', 'day', 'all', from, until];
  if (name === 'last-counted-day') return ['active_users'];
  if (name === 'custom-metric-counts') return [firstId, firstId, from, until];
  return null;
}

/** Values for the people of a number, with all groups that there are. */
async function* peopleValues({ name }: ProjectQuery): AsyncGenerator<unknown[]> {
  const [from, until, today] = ['2020-01-01', '2030-01-01', new Date().toISOString().slice(0, 10)];
  if (name === 'people-of-a-step') return yield [from, until, 'joined'];
  const schema = side.readModels.schema('metrics');
  const { rows } = await side.database.pool.query<{ value: string }>(
    `select method as value from ${schema}.sign_ups where project_id = $1
     union select method from ${schema}.sign_ins where project_id = $1
     union select country from ${schema}.sign_ups where project_id = $1
     union select device from ${schema}.sign_ups where project_id = $1
     union select to_char(date_trunc('week', joined_at at time zone 'UTC'), 'YYYY-MM-DD')
       from ${schema}.sign_ups where project_id = $1`,
    [first],
  );
  for (const value of ['', 'new', 'returning', 'DE', ...rows.map((row) => row.value)]) {
    yield name.startsWith('people-of-active-hours') ? [from, [today], [0xffffff], value] : [from, until, value];
  }
}

/** Values for lists and searches of users, and for pages that begin at a text, which is in hexadecimal digits. */
async function searchValues({ name }: ProjectQuery): Promise<unknown[] | null> {
  if (name === 'search-teams-by-display_name') return [null, null, 100, '', firstId];
  if (name === 'search-teams-by-display_name-descending') return [null, null, 100, 'f48fbfbf', lastId];
  const [, kind] =
    /^(find-users|find-active-users|count-users|list-users|search-users-near|search-users)-/.exec(name) ?? [];
  if (!kind) return null;
  const { rows } = await side.database.pool.query<{ team_id: string }>(
    `select team_id from ${side.readModels.schema('main')}.team_members where project_id = $1`,
    [first],
  );
  const page = [100, null, name.includes('in-team') ? rows[0]?.team_id : null, []];
  const sought = ['%', null];
  if (kind === 'list-users') return [...page, null];
  if (kind === 'search-users-near') return [...page, ...sought, 100, null];
  if (kind === 'search-users') return [...page, ...sought, '%', 100, 100, null];
  const window = { 'find-users': [100, null], 'find-active-users': [100, null], 'count-users': [] }[kind] ?? [];
  const filters = Array.from({ length: 8 }, () => null);
  return [...page, ...sought, ...window, ...filters, ...forever, ...forever];
}

async function publicValuesOf(column: string, table = 'public_events'): Promise<string[]> {
  const text = `select distinct ${column}::text as value from ${side.readModels.schema('events')}.${table}
    where project_id = $1 and ${column} is not null`;
  return (await side.database.pool.query<{ value: string }>(text, [first])).rows.map(({ value }) => value);
}

async function parameterTypes(text: string): Promise<string[]> {
  const client = await side.database.pool.connect();
  try {
    await client.query(`prepare inspected as ${text}`);
    const { rows } = await client.query<{ types: string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'inspected'`,
    );
    await client.query('deallocate inspected');
    return rows[0]?.types ?? [];
  } finally {
    client.release();
  }
}

function* combinations(lists: readonly (readonly unknown[])[]): Generator<unknown[]> {
  const [values, ...rest] = lists;
  if (values === undefined) yield [];
  else for (const value of values) for (const others of combinations(rest)) yield [value, ...others];
}

/** A user with one of their devices. */
async function deviceValues({ name }: ProjectQuery): Promise<unknown[] | null> {
  if (name !== 'find-known-devices') return null;
  const { rows } = await side.database.pool.query<{ id: string; device: string }>(
    `select user_id as id, device from ${side.readModels.schema('main')}.device_sign_ins where project_id = $1 limit 1`,
    [first],
  );
  return [rows.map(({ id }) => id), rows.map(({ device }) => device)];
}

/** Its session plans each text once: there are many values for some queries, and planning takes longer than running. */
let session: PoolClient;
async function run(text: string, projectId: string, values: readonly unknown[]): Promise<string> {
  const name = createHash('sha1').update(text).digest('hex');
  return JSON.stringify((await session.query({ name, text, values: [projectId, ...values] })).rows);
}

/** Values for which queries returned rows, by the types of their parameters. They often fit the variants of a query. */
const knownValues = new Map<string, unknown[][]>();

async function* valuesFor(query: ProjectQuery, types: readonly string[]): AsyncGenerator<unknown[]> {
  const known =
    (await auditValues(query)) ??
    (await grantValues(query)) ??
    (await searchValues(query)) ??
    (await deviceValues(query)) ??
    analyticsValues(query);
  if (known) {
    yield known;
    return;
  }
  if (query.name.startsWith('people-of-')) return yield* peopleValues(query);
  yield* knownValues.get(types.join()) ?? [];
  yield* combinations(await Promise.all(types.map((type, index) => candidatesFor(query, index + 2, type))));
}

/** Values for which a query returns rows of the first project, and what it returns for a project without data. */
async function findRows(query: ProjectQuery, text: string): Promise<{ values: readonly unknown[]; nothing: string }> {
  const [project, ...types] = await parameterTypes(text);
  expect(project).toBe('text');
  for await (const values of valuesFor(query, types)) {
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
