import type { Table } from '@gatebook/projections/changes';
import type { ReadModels } from '@gatebook/projections/wait';
import type { Pool } from '@gatebook/runtime/postgres';
import { mainGroup, metricsGroup } from './projection-groups.ts';

type Definition = {
  /** Unique among all queries, because each is a prepared statement. */
  name: string;
  /**
   * Receives the name of the schema, to write in front of every table of the group. Called once per projection version.
   */
  sql: (schema: string) => string;
  group?: 'main' | 'metrics';
  /** Runs on every request and looks up by keys only: planned once for all values. */
  isHot?: boolean;
};

/** A query over one projection version, limited to the project whose ID is `$1`. */
export type ProjectQuery = Definition & {
  /** Also shows people of project `internal`, who can act in every project. */
  withOwners?: boolean;
  scope: 'project';
};
/** A query over all projects. */
export type CrossProjectQuery = Definition & { scope: 'all' };

const defined = new Map<string, ProjectQuery | CrossProjectQuery>();

/**
 * Defines a query of read models, like the next function. Replaces each table with data of projects by its rows of
 * project `$1`, so that a forgotten condition shows nothing of another project (docs/decisions/0035).
 */
export function defineQuery(query: Definition & { withOwners?: boolean }): ProjectQuery {
  return register({ ...query, scope: 'project' });
}

/** For lookups before the project is known, and for queries about all projects. */
export function defineCrossProjectQuery(query: Definition): CrossProjectQuery {
  return register({ ...query, scope: 'all' });
}

function register<Q extends ProjectQuery | CrossProjectQuery>(query: Q): Q {
  if (defined.has(query.name)) throw new Error(`query ${query.name} is defined twice`);
  defined.set(query.name, query);
  return query;
}

/** All queries of the loaded modules. */
export const definedQueries = (): readonly (ProjectQuery | CrossProjectQuery)[] => [...defined.values()];

export type ReadDb = {
  /** Returns rows as Postgres does. Runs on the projection version that is live at the time of the call. */
  rows<Row>(query: ProjectQuery, values: readonly [projectId: string, ...rest: unknown[]]): Promise<Row[]>;
  rowsOfAllProjects<Row>(query: CrossProjectQuery, values: readonly unknown[]): Promise<Row[]>;
};

/** `hotPool`: connections for hot queries, with `hotSettings`. */
export function createReadDb(pool: Pool, readModels: Pick<ReadModels, 'schema'>, hotPool = pool): ReadDb {
  const texts = new Map<string, string>();

  async function run<Row>(query: Definition, values: readonly unknown[], textOf: (schema: string) => string) {
    const schema = readModels.schema(query.group ?? 'main');
    const name = `${schema}.${query.name}`;
    const text = texts.get(name) ?? textOf(schema);
    texts.set(name, text);
    const result = await (query.isHot ? hotPool : pool).query({ name, text, values: [...values] });
    return result.rows as Row[];
  }

  return {
    rows: (query, values) => run(query, values, (schema) => restrictToProject(query, schema)),
    rowsOfAllProjects: (query, values) => run(query, values, query.sql),
  };
}

/** Planning a lookup by keys takes longer than running it, and Postgres would plan some of them again each time. */
export const hotSettings = { plan_cache_mode: 'force_generic_plan' } as const;

/** The condition for rows of project `$1`, by table; null if the table contains no data of projects. */
function conditionOf({ name, columns }: Pick<Table, 'name' | 'columns'>): string | null {
  if (name === 'projects') return 'id = $1';
  // Which user or team of `internal` owns which project: visible to the project and to `internal`.
  if (name === 'project_owners' || name === 'project_owner_teams') return `(project_id = $1 or $1 = 'internal')`;
  return 'project_id' in columns ? 'project_id = $1' : null;
}

const conditions = new Map(
  [...mainGroup.tables, ...metricsGroup.tables].map((table) => [table.name, conditionOf(table)] as const),
);
/** Schema `activity`: all its tables contain data of projects. */
const activityCondition = 'project_id = $1';
const people: ReadonlySet<string> = new Set(['users', 'contact_channels']);
const notAnAlias = /^(where|group|order|join|left|right|inner|cross|on|limit|union|having|offset)$/i;

/** The query with each table replaced by its rows of project `$1`. @throws Error for an unknown table */
export function restrictToProject({ name, sql, withOwners = false }: ProjectQuery, schema: string): string {
  const reference = new RegExp(`\\b(${schema}|activity)\\.(\\w+)(\\s+(?:as\\s+)?(\\w+))?`, 'gi');
  return sql(schema).replace(reference, (whole, of: string, table: string, rest = '', alias = '') => {
    const condition = of === 'activity' ? activityCondition : conditions.get(table);
    if (condition === undefined) throw new Error(`query ${name}: table ${table} belongs to no projection group`);
    if (condition === null) return whole;
    const isNamed = alias !== '' && !notAnAlias.test(alias);
    const wanted = withOwners && people.has(table) ? `project_id in ($1, 'internal')` : condition;
    return `(select * from ${of}.${table} where ${wanted})${isNamed ? '' : ` ${table}`}${rest}`;
  });
}
