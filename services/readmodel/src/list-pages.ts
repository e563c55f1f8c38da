import { maxListed } from './list-limits.ts';
import {
  type CrossProjectQuery,
  defineCrossProjectQuery,
  defineQuery,
  type ProjectQuery,
  type ReadDb,
} from './read-db.ts';

/*
 * Lists in pages. A page begins at the sort key of its first row, not at the row itself, so that it can be read even
 * when that row is gone.
 */

/** Sort key of an entry, one text per column. */
export type SortKey = readonly string[];
/** `from`: sort key of the first entry; null for the beginning of the list. */
export type Page = { from: SortKey | null; limit: number };
export const wholeList: Page = { from: null, limit: maxListed };
/** `next`: sort key of the first entry that did not fit; null at the end of the list. */
export type Listed<Row> = { rows: Row[]; next: SortKey | null };

type KeyColumn = {
  /** Form of the column's text in a sort key. Texts of this form never make Postgres fail. */
  form: RegExp;
  lowest: string;
  highest: string;
  textOf(column: string): string;
  parse(parameter: string): string;
};

/** UTF-8 without U+0000 in hexadecimal digits: what Postgres decodes to a text (RFC 3629 §4). */
const tail = '[89ab][0-9a-f]';
export const utf8Hex = [
  '(?:0[1-9a-f]|[1-7][0-9a-f])',
  `(?:c[2-9a-f]|d[0-9a-f])${tail}`,
  `(?:e0[ab][0-9a-f]|e[1-9abcef]${tail}|ed[89][0-9a-f])${tail}`,
  `(?:f0[9ab][0-9a-f]|f[1-3]${tail}|f48[0-9a-f])${tail}${tail}`,
].join('|');

/** Columns that lists are sorted by. */
const keyColumns = {
  /** Microseconds since 1970. */
  time: {
    form: /^\d{1,17}$/,
    lowest: '0',
    highest: '9'.repeat(17),
    textOf: (column) => `(extract(epoch from ${column}) * 1000000)::bigint::text`,
    parse: (parameter) => `timestamptz 'epoch' + ${parameter}::bigint * interval '1 microsecond'`,
  },
  /** Position in the log. */
  position: {
    form: /^\d{1,18}$/,
    lowest: '0',
    highest: '9'.repeat(18),
    textOf: (column) => `${column}::text`,
    parse: (parameter) => `${parameter}::bigint`,
  },
  uuid: {
    form: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    lowest: '00000000-0000-0000-0000-000000000000',
    highest: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    textOf: (column) => `${column}::text`,
    parse: (parameter) => `${parameter}::uuid`,
  },
  /** A text with collation "C", of at most 40 characters: cursors are short. */
  text: {
    form: new RegExp(`^(?:${utf8Hex}){0,40}$`),
    lowest: '',
    highest: 'f48fbfbf',
    textOf: (column) => `encode(convert_to(${column}, 'UTF8'), 'hex')`,
    parse: (parameter) => `convert_from(decode(${parameter}, 'hex'), 'UTF8')`,
  },
} as const satisfies Record<string, KeyColumn>;
type ColumnType = keyof typeof keyColumns;

/** Form of a permission ID in a sort key; empty before the first one. */
const permissionForm = /^\$?[a-z0-9_:]{0,255}$/;
/** Forms of the texts of a sort key. */
export const keyForms = {
  ...Object.fromEntries(Object.entries(keyColumns).map(([type, { form }]) => [type, form])),
  permission: permissionForm,
} as Readonly<Record<ColumnType | 'permission', RegExp>>;
export type KeyForms = readonly (keyof typeof keyForms)[];

/** `forms`: of the texts of its sort keys. */
export type PagedQuery<Query = ProjectQuery> = { query: Query; start: SortKey; forms: KeyForms };

type PagedDefinition = Pick<ProjectQuery, 'name' | 'findsHidden' | 'isHot'> & {
  /** By column, in the order of sorting. */
  sortedBy: Readonly<Record<string, ColumnType>>;
  isDescending?: boolean;
  /** Number of values before those of the page. */
  values: number;
  /** `from` is a condition; `end` follows all conditions. */
  sql: (schema: string, page: { key: string; from: string; end: string }) => string;
};

/**
 * Defines the query of a list in pages. The first page begins at the lowest possible key, so that all pages have one
 * query, which Postgres can answer by index.
 */
export const definePagedQuery = (definition: PagedDefinition): PagedQuery => paged(definition, defineQuery);

/** The same over all projects. */
export const defineCrossProjectPagedQuery = (definition: PagedDefinition): PagedQuery<CrossProjectQuery> =>
  paged(definition, defineCrossProjectQuery);

function paged<Query>(
  { sortedBy, isDescending = false, values, sql, ...query }: PagedDefinition,
  define: (query: Pick<ProjectQuery, 'name' | 'findsHidden' | 'isHot' | 'sql'>) => Query,
): PagedQuery<Query> {
  const columns = Object.entries(sortedBy).map(([column, type]) => ({ column, ...keyColumns[type] }));
  const names = columns.map(({ column }) => column).join(', ');
  const bounds = columns.map(({ parse }, nth) => parse(`$${values + 2 + nth}`)).join(', ');
  const order = columns.map(({ column }) => (isDescending ? `${column} desc` : column)).join(', ');
  const page = {
    key: `array[${columns.map(({ column, textOf }) => textOf(column)).join(', ')}] as "sortKey"`,
    from: `(${names}) ${isDescending ? '<=' : '>='} (${bounds})`,
    end: `order by ${order} limit $${values + 1}`,
  };
  return {
    query: define({ ...query, sql: (schema) => sql(schema, page) }),
    forms: Object.values(sortedBy),
    start: columns.map(({ lowest, highest }) => (isDescending ? highest : lowest)),
  };
}

export const listPage = <Row>(
  db: ReadDb,
  { query, start }: PagedQuery,
  [projectId, ...values]: readonly [projectId: string, ...rest: unknown[]],
  page: Page,
): Promise<Listed<Row>> => readPage(start, page, (bounds) => db.rows(query, [projectId, ...values, ...bounds]));

/** A page of a list over all projects. */
export const listCrossProjectPage = <Row>(
  db: ReadDb,
  { query, start }: PagedQuery<CrossProjectQuery>,
  values: readonly unknown[],
  page: Page,
): Promise<Listed<Row>> => readPage(start, page, (bounds) => db.rowsOfAllProjects(query, [...values, ...bounds]));

async function readPage<Row>(
  start: SortKey,
  { from, limit }: Page,
  read: (bounds: readonly unknown[]) => Promise<(Row & { sortKey: string[] })[]>,
): Promise<Listed<Row>> {
  const found = await read([limit + 1, ...(from ?? start).slice(0, start.length)]);
  const next = found[limit]?.sortKey ?? null;
  return { rows: found.slice(0, limit).map(({ sortKey: _, ...row }) => row as Row), next };
}

/**
 * Cuts a page out of entries that are already sorted. `isBefore`: whether an entry precedes the page. `rest`: sort key
 * of the entries that were not read.
 */
export function cutPage<Entry>(
  entries: readonly Entry[],
  { from, limit }: Page,
  keyOf: (entry: Entry) => SortKey,
  isBefore: (key: SortKey, from: SortKey) => boolean,
  rest: SortKey | null = null,
): Listed<Entry> {
  const left = from === null ? entries : entries.filter((entry) => !isBefore(keyOf(entry), from));
  const following = left[limit];
  return { rows: left.slice(0, limit), next: following === undefined ? rest : keyOf(following) };
}
