import type { Table } from '@gatebook/projections/changes';
import type { HotRows, Standing } from '@gatebook/projections/hot-rows';
import { countsTable } from '@gatebook/projections/row-counts';
import { isVisible } from '@gatebook/projections/tombstones';
import type { ReadModels } from '@gatebook/projections/wait';
import type { Pool } from '@gatebook/runtime/postgres';
import { hiddenProject, isNotHidden } from './hidden-projects.ts';
import { allGroups, type GroupName } from './projection-groups.ts';

type Definition = {
  /** Unique among all queries, because each is a prepared statement. */
  name: string;
  /**
   * Receives the name of the schema, to write in front of every table of the group. Called once per projection version.
   */
  sql: (schema: string) => string;
  group?: GroupName;
  /** Which projects it finds: by default, those that do not await deletion. */
  projects?: 'deleted' | 'all';
  /** Runs often and reads few rows by keys or in the order of an index: planned once for all values. */
  isHot?: boolean;
  /** Finds users and teams that await deletion, and rows of these users, instead of those that exist. */
  findsHidden?: boolean;
  /** A lookup of one row by unique texts: processes that serve requests keep the row in memory. */
  standingOf?: StandingOf;
};

/**
 * Follows the name of a table from which a query looks up what belongs to a row that it has already found: whether the
 * project is deleted is not checked again.
 */
export const ofFoundRow = '/* of found row */';

/** What the row depends on (docs/decisions/0066). `values`: of the query. */
export type StandingOf = (row: unknown, values: readonly unknown[]) => Standing;

/** Types the row. */
export const standingOf = <Row>(of: (row: Row, values: readonly unknown[]) => Standing) => of as StandingOf;

/** A query over one projection version, limited to the project whose ID is `$1`. */
export type ProjectQuery = Definition & {
  /** Also shows people and teams of project `internal`, who can act in every project. */
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

/** For lookups before the project is known, and for queries about all projects, except deleted ones. */
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

/**
 * `hotPool`: connections for hot queries, with `hotSettings`. `hotRows`: keeps rows of queries that declare what their
 * rows depend on.
 */
export function createReadDb(
  pool: Pool,
  readModels: Pick<ReadModels, 'schema'>,
  hotPool = pool,
  hotRows?: Pick<HotRows, 'find'>,
): ReadDb {
  const texts = new Map<string, string>();
  const builders = new Map<string, RowBuilder>();

  async function run<Row>(query: Definition, values: readonly unknown[], textOf: (schema: string) => string) {
    const schema = readModels.schema(query.group ?? 'main');
    const name = `${schema}.${query.name}`;
    const text = texts.get(name) ?? textOf(schema);
    texts.set(name, text);
    const connections = query.isHot ? hotPool : pool;
    const { rows, fields } = await connections.query({ name, text, values: [...values], rowMode: 'array' });
    const toRow = builders.get(name) ?? rowBuilder(fields.map((field) => field.name));
    builders.set(name, toRow);
    return rows.map(toRow) as Row[];
  }

  function find<Row>(query: Definition, values: readonly unknown[], textOf: (schema: string) => string) {
    const { name, standingOf } = query;
    if (!standingOf || !hotRows) return run<Row>(query, values, textOf);
    return hotRows.find<Row>(
      [name, ...values].join('\0'),
      () => run<Row>(query, values, textOf),
      (row) => standingOf(row, values),
    );
  }

  return {
    rows: (query, values) => find(query, values, (schema) => restrictToProject(query, schema)),
    rowsOfAllProjects: (query, values) => find(query, values, (schema) => hideDeletedProjects(query, schema)),
  };
}

type RowBuilder = (values: readonly unknown[]) => object;

/** Builds rows with an object literal, because V8 is three times slower with keys in a loop. */
const rowBuilder = (columns: readonly string[]) =>
  new Function(
    'values',
    `return { ${columns.map((name, nth) => `${JSON.stringify(name)}: values[${nth}]`)} };`,
  ) as RowBuilder;

/**
 * Planning a lookup by keys takes longer than running it, and Postgres would plan some of them again each time. Hot
 * queries read few rows, and parallel workers start slowly.
 */
export const hotSettings = {
  plan_cache_mode: 'force_generic_plan',
  max_parallel_workers_per_gather: '0',
  enable_seqscan: 'off',
  // What is searched is mostly in memory. Postgres would read all users of a project from an index to skip some rows.
  random_page_cost: '1.1',
} as const;

const tables = new Map(
  allGroups
    .flatMap((group) => group.tables)
    .flatMap((table) => (table.counts ? [table, countsTable(table.counts)] : [table]))
    .map((table) => [table.name, table] as const),
);

/** The condition for rows of project `$1`; null if the table contains no data of projects. */
export function conditionOf(
  { name, columns }: Table,
  schema: string,
  { withOwners, findsHidden, projects }: Pick<ProjectQuery, 'withOwners' | 'findsHidden' | 'projects'>,
  isOfFoundRow = false,
  /** Of rows of the table with this alias, in a schema that has rows of other times too. */
  isValid: (alias: string) => string = () => 'true',
): string | null {
  const ifVisible = (project: string) => (isOfFoundRow ? '' : ` and ${isVisible(schema, 'project_id', project)}`);
  if (name === 'projects') return `id = $1 and ${isInState(projects)}`;
  if (!('project_id' in columns)) return null;
  // Which user or team of `internal` owns which project: visible to the project and to `internal`.
  if (name === 'project_members' || name === 'project_owner_teams') {
    const isOpen = projects ? '' : ` and ${isOfOpenProject(schema, `${name}.project_id`, isValid)}`;
    return `(project_id = $1 or $1 = 'internal')${ifVisible(`${name}.project_id`)}${isOpen}`;
  }
  if (findsHidden) return `project_id = ${hiddenProject('$1')}${ifVisible('$1')}`;
  const ofProject =
    withOwners && (name === 'users' || name === 'teams') ? `project_id in ($1, 'internal')` : 'project_id = $1';
  return `${ofProject}${ifVisible('$1')}`;
}

const notAnAlias = /^(where|group|order|join|left|right|inner|cross|on|limit|union|having|offset)$/i;

/**
 * The query with each table replaced by its rows of project `$1`; no rows if the project is deleted. @throws Error for
 * an unknown table
 */
export const restrictToProject = (query: ProjectQuery, schema: string): string =>
  replaceTables(query.sql(schema), schema, (name, isActivity) =>
    rowsOf(
      name,
      isActivity ? 'project_id = $1' : conditionOf(tableOf(query.name, name.table), schema, query, name.isOfFoundRow),
    ),
  );

/**
 * The query with each table replaced by its rows of projects that exist, without those of users who await deletion.
 * @throws Error for an unknown table
 */
const hideDeletedProjects = ({ name, sql, findsHidden, projects }: CrossProjectQuery, schema: string): string =>
  replaceTables(sql(schema), schema, (found, isActivity) => {
    if (isActivity) return null;
    if (found.table === 'projects') return rowsOf(found, isInState(projects));
    if (!('project_id' in tableOf(name, found.table).columns)) return null;
    const project = `${found.table}.project_id`;
    const ifNotHidden = findsHidden ? '' : `${isNotHidden(project)} and `;
    const ifOpen = findsHidden || projects ? '' : `${isOfOpenProject(schema, project, () => 'true')} and `;
    return rowsOf(found, `${ifNotHidden}${ifOpen}${isVisible(schema, 'project_id', project)}`);
  });

/** SQL condition for rows of `projects`. */
const isInState = (projects: Definition['projects']) =>
  projects === 'all' ? 'true' : `delete_at is ${projects === 'deleted' ? 'not ' : ''}null`;

/** SQL condition for rows whose project does not await deletion. */
const isOfOpenProject = (schema: string, project: string, isValid: (alias: string) => string) =>
  `not exists (select from ${schema}.projects closed
    where closed.id = ${project} and closed.delete_at is not null and ${isValid('closed')})`;

const rowsOf = ({ schema, table }: TableName, condition: string | null) =>
  condition === null ? null : `select * from ${schema}.${table} where ${condition}`;

function tableOf(query: string, table: string): Table {
  const found = tables.get(table);
  if (!found) throw new Error(`query ${query}: table ${table} belongs to no projection group`);
  return found;
}

type TableName = { schema: string; table: string; isOfFoundRow: boolean };

/** `selectFor`: the statement that a table stands for, null for the table itself. */
export function replaceTables(
  text: string,
  schema: string,
  selectFor: (name: TableName, isActivity: boolean) => string | null,
): string {
  const mark = '(/\\* of found row \\*/)?';
  const reference = new RegExp(`\\b(${schema}|activity)\\.(\\w+)${mark}(\\s+(?:as\\s+)?(\\w+))?`, 'gi');
  return text.replace(reference, (whole, of: string, table: string, found?: string, rest = '', alias = '') => {
    const select = selectFor({ schema: of, table, isOfFoundRow: found !== undefined }, of === 'activity');
    if (select === null) return whole;
    const isNamed = alias !== '' && !notAnAlias.test(alias);
    return `(${select})${isNamed ? '' : ` ${table}`}${rest}`;
  });
}
