import type { Table } from '@gatebook/projections/changes';
import type { ReadModels } from '@gatebook/projections/wait';
import type { Pool } from '@gatebook/runtime/postgres';
import { pastGroup } from '../projection-groups.ts';
import { conditionOf, type ProjectQuery, type ReadDb, replaceTables } from '../read-db.ts';
import { type PastTable, pastTables } from './tables.ts';

/** A moment of the past. `clock`: an ISO time, at which it is decided what has expired. */
export type Moment = { position: bigint; clock: string };

export type PastDb = (moment: Moment) => ReadDb;

/**
 * Runs the queries of the present on the rows that were valid at a moment. What is not in the log reads as unknown, but
 * the latest sign-in of a user stands for the latest activity.
 */
export function createPastDb(pool: Pool, readModels: Pick<ReadModels, 'schema'>): PastDb {
  const texts = new Map<string, string>();

  return ({ position, clock }) => ({
    rows: async <Row>(query: ProjectQuery, values: readonly [projectId: string, ...rest: unknown[]]) => {
      const schema = readModels.schema(pastGroup.name);
      const name = `${schema}.${query.name}`;
      const parameters = { position: `$${values.length + 1}::bigint`, clock: `$${values.length + 2}::timestamptz` };
      const text = texts.get(name) ?? textAt(query, schema, parameters);
      texts.set(name, text);
      const given = text.includes(parameters.clock) ? [position, clock] : [position];
      return (await pool.query({ name, text, values: [...values, ...given] })).rows as Row[];
    },
    rowsOfAllProjects: ({ name }) => {
      throw new Error(`query ${name} cannot show the past of all projects`);
    },
  });
}

/** SQL expressions. */
type Parameters = { position: string; clock: string };

/** The query with each table replaced by its rows of project `$1` at a position. @throws Error for an unknown table */
export function textAt(query: ProjectQuery, schema: string, { position, clock }: Parameters): string {
  const text = replaceTables(query.sql(schema), schema, ({ table }, isActivity) =>
    isActivity ? activityAt(table, schema, position) : rowsAt(query, table, schema, position),
  );
  return text.replaceAll(/\bnow\(\)/g, clock);
}

function rowsAt(query: ProjectQuery, name: string, schema: string, position: string): string {
  const past = pastTables.get(name);
  const counted = [...pastTables.values()].find(({ table: { counts } }) => counts?.name === name)?.table;
  if (counted) return countsAt(query, counted, schema, position);
  if (!past) throw new Error(`query ${query.name}: the past of ${name} is not kept`);
  const { table, apart, omitted } = past;
  const columns = Object.entries(table.columns).map(([column, { type }]) => {
    if (omitted.includes(column)) return `null::${type} as ${column}`;
    return `${apart?.columns.includes(column) ? 'apart' : name}.${column}`;
  });
  return `select ${columns.join(', ')} from ${schema}.${name}${apart ? apartAt(past, schema, position) : ''}
    where ${isValidAt(name, position)} and ${conditionOf(table, schema, query, false, (alias) => isValidAt(alias, position)) ?? 'true'}`;
}

/** Counts of the past are not kept. */
function countsAt(query: ProjectQuery, { name, key, counts }: Table, schema: string, position: string): string {
  if (!counts) throw new Error(`${name} counts no rows`);
  const { of, by, where } = counts;
  return `select c.${key[0]} as ${by}, c.project_id, coalesce(n.count, 0)::int as count
    from (${rowsAt(query, name, schema, position)}) c left join (
      select r.${by}, count(*) as count from (${rowsAt(query, of, schema, position)}) r where ${where} group by r.${by}
    ) n on n.${by} = c.${key[0]}`;
}

const isValidAt = (alias: string, position: string) =>
  `${alias}.from_position <= ${position} and ${alias}.until_position > ${position}`;

/**
 * Looks up, row by row, the columns whose versions are kept separately. Postgres knows that an aggregate returns one
 * row, so it leaves the lookup out of queries that read none of these columns.
 */
function apartAt({ table, apart }: PastTable, schema: string, position: string): string {
  if (!apart) return '';
  const ofRow = table.key.map((column) => `o.${column} = ${table.name}.${column}`).join(' and ');
  return ` left join lateral (select ${apart.columns.map((column) => `(array_agg(latest.${column}))[1] as ${column}`).join(', ')}
    from (select o.* from ${schema}.${apart.table} o where ${ofRow} and o.from_position <= ${position}
      order by o.from_position desc limit 1) latest) apart on true`;
}

function activityAt(table: string, schema: string, position: string): string {
  if (table !== 'users') return `select * from activity.${table} where false`;
  const isSeen = (session: string) => `${session}.from_position <= ${position} and not ${session}.is_impersonation`;
  // Not the maximum per user: that would read all sessions for a page of a list by activity.
  return `select s.user_id, s.project_id, s.created_at as last_active_at, null::text as country
    from ${schema}.sessions s where s.project_id = $1 and ${isSeen('s')} and not exists (
      select from ${schema}.sessions later where later.user_id = s.user_id and ${isSeen('later')}
        and (later.created_at, later.id, later.from_position) > (s.created_at, s.id, s.from_position))`;
}
