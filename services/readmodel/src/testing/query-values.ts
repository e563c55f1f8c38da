import { auditDrivers } from '../audit/filters.ts';
import type { ProjectQuery } from '../read-db.ts';
import { first, firstId } from './filled-read-side.ts';
import type { ReadSide } from './read-side.ts';

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

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
async function candidatesFor(side: ReadSide, query: ProjectQuery, n: number, type: string): Promise<unknown[]> {
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
async function grantValues(side: ReadSide, { name }: ProjectQuery): Promise<unknown[] | null> {
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
async function auditValues(side: ReadSide, { name }: ProjectQuery): Promise<unknown[] | null> {
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
    return [await publicValuesOf(side, column), 0, 0, last, 100, null, null, null, null];
  }
  if (name === 'find-public-events') {
    const ids = await publicValuesOf(side, 'event_id');
    return [ids, ids.map(() => 0)];
  }
  if (name === 'list-memberships-at') {
    const users = await publicValuesOf(side, 'user_id', 'holdings');
    return [users, users.map(() => last)];
  }
  if (name === 'list-selections-at')
    return [(await publicValuesOf(side, 'team_id', 'holdings'))[0], last, 0, null, 100];
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
async function* peopleValues(side: ReadSide, { name }: ProjectQuery): AsyncGenerator<unknown[]> {
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
async function searchValues(side: ReadSide, { name }: ProjectQuery): Promise<unknown[] | null> {
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
  if (kind === 'search-users') return [...page, ...sought, '%', 100, 100, null, 100];
  const window = { 'find-users': [100, null], 'find-active-users': [100, null], 'count-users': [] }[kind] ?? [];
  const filters = Array.from({ length: 8 }, () => null);
  return [...page, ...sought, ...window, ...filters, ...forever, ...forever];
}

async function publicValuesOf(side: ReadSide, column: string, table = 'public_events'): Promise<string[]> {
  const text = `select distinct ${column}::text as value from ${side.readModels.schema('events')}.${table}
    where project_id = $1 and ${column} is not null`;
  return (await side.database.pool.query<{ value: string }>(text, [first])).rows.map(({ value }) => value);
}

export async function parameterTypes(side: ReadSide, text: string): Promise<string[]> {
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
async function deviceValues(side: ReadSide, { name }: ProjectQuery): Promise<unknown[] | null> {
  if (name !== 'find-known-devices') return null;
  const { rows } = await side.database.pool.query<{ id: string; device: string }>(
    `select user_id as id, device from ${side.readModels.schema('main')}.device_sign_ins where project_id = $1 limit 1`,
    [first],
  );
  return [rows.map(({ id }) => id), rows.map(({ device }) => device)];
}

/** Values for which queries returned rows, by the types of their parameters. They often fit the variants of a query. */
export const knownValues = new Map<string, unknown[][]>();

export async function* valuesFor(
  side: ReadSide,
  query: ProjectQuery,
  types: readonly string[],
): AsyncGenerator<unknown[]> {
  const known =
    (await auditValues(side, query)) ??
    (await grantValues(side, query)) ??
    (await searchValues(side, query)) ??
    (await deviceValues(side, query)) ??
    analyticsValues(query);
  if (known) {
    yield known;
    return;
  }
  if (query.name.startsWith('people-of-')) return yield* peopleValues(side, query);
  yield* knownValues.get(types.join()) ?? [];
  yield* combinations(await Promise.all(types.map((type, index) => candidatesFor(side, query, index + 2, type))));
}
