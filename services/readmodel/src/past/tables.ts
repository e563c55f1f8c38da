import type { Index, Table } from '@gatebook/projections/changes';
import { actionsTable, asVersioned } from '@gatebook/projections/versions/versioned-table';
import { apiKeysTables } from '../api-keys/tables.ts';
import { emailsTables } from '../emails/tables.ts';
import { permissionsTables } from '../permissions/tables.ts';
import { projectsTables } from '../projects/tables.ts';
import { sessionsTables } from '../sessions/tables.ts';
import { teamsTables } from '../teams/tables.ts';
import { usersTables } from '../users/tables.ts';

/** How the versions of a table are kept. */
type Kept = {
  /** Columns that change at other times than the others, or are large, have versions in a table of their own. */
  apart?: { table: string; columns: readonly string[] };
  /** For queries that have other tables in the present. */
  indexes?: readonly Index[];
  /** Secrets, and hashes that only authenticate requests. They read as null. */
  omitted?: readonly string[];
};

const large = ['profile_image_url', 'client_metadata', 'client_read_only_metadata', 'server_metadata'];

/** The tables of the API whose past can be read. */
const kept: Readonly<Record<string, Kept>> = {
  projects: { apart: { table: 'project_counts', columns: ['user_count'] }, omitted: ['secrets', 'revision'] },
  project_members: {},
  project_owner_teams: {},
  project_keys: {
    omitted: ['publishable_client_key_hash', 'secret_server_key_hash', 'super_secret_admin_key_hash'],
  },
  permission_definitions: {},
  team_permissions: {},
  project_permissions: {},
  users: { apart: { table: 'user_values', columns: large } },
  contact_channels: {},
  oauth_accounts: {},
  sessions: {
    omitted: ['refresh_token_hash'],
    indexes: [{ name: 'sessions_by_time', on: '(project_id, created_at, user_id)' }],
  },
  teams: { apart: { table: 'team_values', columns: large } },
  team_members: {},
  api_keys: { omitted: ['hash'] },
  email_templates: {},
};

const currentTables = [
  ...projectsTables,
  ...permissionsTables,
  ...usersTables,
  ...sessionsTables,
  ...teamsTables,
  ...apiKeysTables,
  ...emailsTables,
];

/** A table of the API, and where its past is kept. */
export type PastTable = Required<Pick<Kept, 'omitted' | 'indexes'>> & Pick<Kept, 'apart'> & { table: Table };

export const pastTables: ReadonlyMap<string, PastTable> = new Map(
  currentTables.flatMap((table) => {
    const how = kept[table.name];
    return how ? [[table.name, { omitted: [], indexes: [], ...how, table }] as const] : [];
  }),
);

/** Rows of projects have a project, so that they are deleted with it. */
const projectColumn = { project_id: { type: 'text' } } as const;
const byProject = (table: string) => ({ name: `${table}_by_project`, on: '(project_id)' });

function versionsOf({ table, apart, omitted, indexes: added }: PastTable): Table[] {
  const { name, columns, key, indexes = [] } = table;
  const isKept = (column: string) => !omitted.includes(column) && !apart?.columns.includes(column);
  const pick = (isPicked: (column: string) => boolean) =>
    Object.fromEntries(Object.entries(columns).filter(([column]) => isPicked(column)));
  const isRootOfProject = !('project_id' in columns);
  const light: Table = {
    ...table,
    columns: { ...pick(isKept), ...(isRootOfProject && projectColumn) },
    indexes: [
      ...indexes.filter(({ on }) => !omitted.some((column) => new RegExp(`\\b${column}\\b`).test(on))),
      ...(isRootOfProject ? [byProject(name)] : []),
      ...added,
    ],
  };
  if (!apart) return [asVersioned(light)];
  const other: Table = {
    name: apart.table,
    columns: { ...pick((column) => key.includes(column) || apart.columns.includes(column)), ...projectColumn },
    key,
    indexes: [byProject(apart.table)],
  };
  return [asVersioned(light), asVersioned(other)];
}

/** All events, by which a moment can be named. */
const eventsTable: Table = {
  name: 'events',
  columns: { id: { type: 'uuid' }, project_id: { type: 'text' }, position: { type: 'bigint' } },
  key: ['id'],
  indexes: [byProject('events')],
};

export const pastGroupTables: readonly Table[] = [
  ...[...pastTables.values()].flatMap(versionsOf),
  eventsTable,
  actionsTable,
];
