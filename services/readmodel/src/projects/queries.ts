import { reject } from '@gatebook/domain/errors';
import type { PermissionDefinition } from '@gatebook/domain/permission/definition';
import {
  type ProjectConfig,
  type ProjectSecrets,
  type ProjectSettings,
  rejectionRetention,
} from '@gatebook/domain/project/config';
import type { ProjectRole } from '@gatebook/domain/project/roles';
import { maxListed } from '../list-limits.ts';
import { defineCrossProjectQuery, defineQuery, type ReadDb } from '../read-db.ts';
import { memberProjects } from './member-projects.ts';

export type ProjectRow = {
  id: string;
  /** The revision of the project's stream, as far as the read models have it. */
  revision: number;
  displayName: string;
  description: string;
  isProductionMode: boolean;
  config: ProjectConfig;
  secrets: ProjectSecrets;
  settings: ProjectSettings;
  /** The project's own; system permissions always exist as well. */
  permissions: PermissionDefinition[];
  userCount: number;
  /** The team of `internal` that owns the project. */
  ownerTeamId: string | null;
  /** Milliseconds since 1970, like every time of a row. */
  createdAt: number;
};

const projectColumns = (
  schema: string,
) => `p.id, p.revision::float8 as revision, p.display_name as "displayName", p.description, p.is_production_mode as "isProductionMode",
  p.config, p.secrets, p.settings, p.user_count as "userCount",
  (select t.id from ${schema}.project_owner_teams o join ${schema}.teams t on t.id = o.team_id
    where o.project_id = p.id) as "ownerTeamId",
  coalesce((select jsonb_agg(jsonb_build_object('key', d.key, 'id', d.id, 'scope', d.scope,
      'description', d.description, 'contained', d.contained) order by d.id)
    from ${schema}.permission_definitions d where d.project_id = p.id), '[]') as permissions,
  (extract(epoch from p.created_at) * 1000)::float8 as "createdAt"`;

const findProjectDefinition = {
  withOwners: true,
  sql: (schema: string) => `select ${projectColumns(schema)} from ${schema}.projects p where p.id = $1`,
};
const findProjectQuery = defineQuery({ ...findProjectDefinition, name: 'find-project' });

const findDeletedProjectQuery = defineQuery({
  ...findProjectDefinition,
  name: 'find-deleted-project',
  projects: 'deleted',
});

/** @throws DomainError PROJECT_NOT_FOUND */
export async function findProject(db: ReadDb, projectId: string): Promise<ProjectRow> {
  const [row] = await db.rows<ProjectRow>(findProjectQuery, [projectId]);
  return row ?? reject('PROJECT_NOT_FOUND', { project_id: projectId });
}

const listOwnedQuery = defineCrossProjectQuery({
  name: 'list-owned-projects',
  sql: (schema: string) => `select ${projectColumns(schema)}, o.role from ${schema}.users u
    cross join lateral ${memberProjects(schema)} o join ${schema}.projects p on p.id = o.project_id
    where u.id = $1 order by o.since limit ${maxListed}`,
});

/** With any role, oldest membership first. */
export function listOwnedProjects(db: ReadDb, userId: string): Promise<(ProjectRow & { role: ProjectRole })[]> {
  return db.rowsOfAllProjects<ProjectRow & { role: ProjectRole }>(listOwnedQuery, [userId]);
}

/** A project that can be restored until `deleteAt`. Times are milliseconds since 1970. */
export type DeletedProjectRow = {
  id: string;
  displayName: string;
  createdAt: number;
  deletedAt: number;
  deleteAt: number;
};

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

const listDeletedQuery = defineCrossProjectQuery({
  name: 'list-deleted-projects',
  projects: 'deleted',
  sql: (schema: string) => `select p.id, p.display_name as "displayName", ${millis('p.created_at')} as "createdAt",
      ${millis('p.deleted_at')} as "deletedAt", ${millis('p.delete_at')} as "deleteAt"
    from ${schema}.users u cross join lateral ${memberProjects(schema)} o
      join ${schema}.projects p on p.id = o.project_id
    where u.id = $1 and o.role = 'owner' order by p.delete_at, p.id limit ${maxListed}`,
});

/** Deleted projects of an owner that can be restored, those first that are erased first. */
export function listDeletedProjects(db: ReadDb, userId: string): Promise<DeletedProjectRow[]> {
  return db.rowsOfAllProjects<DeletedProjectRow>(listDeletedQuery, [userId]);
}

const retentionsQuery = defineCrossProjectQuery({
  name: 'list-rejection-retentions',
  projects: 'all',
  sql: (
    schema: string,
  ) => `select p.id, (p.settings ->> 'rejectionRetentionDays')::int as days from ${schema}.projects p
    where (p.settings ->> 'rejectionRetentionDays')::int <> ${rejectionRetention.standard}`,
});

/**
 * For how many days projects keep rejections, by project; those with the standard are left out. Also those of deleted
 * projects, which can be restored.
 */
export async function listRejectionRetentions(db: ReadDb): Promise<ReadonlyMap<string, number>> {
  const rows = await db.rowsOfAllProjects<{ id: string; days: number }>(retentionsQuery, []);
  return new Map(rows.map(({ id, days }) => [id, days]));
}

export type KeyKind = 'publishableClientKey' | 'secretServerKey' | 'superSecretAdminKey';
export type ProjectAccess = {
  project: ProjectRow;
  /** Keys that are not revoked. Readers must check `expiresAt`. */
  keys: { id: string; kind: KeyKind; hash: string; expiresAt: number }[];
};

const findKeysQuery = defineQuery({
  name: 'find-project-keys',
  sql: (schema: string) => `select k.id, k.publishable_client_key_hash as "publishableClientKey",
      k.secret_server_key_hash as "secretServerKey", k.super_secret_admin_key_hash as "superSecretAdminKey",
      (extract(epoch from k.expires_at) * 1000)::float8 as "expiresAt"
    from ${schema}.project_keys k where k.project_id = $1 and k.revoked_at is null`,
});

/** A project that awaits deletion, for its owners. It has no keys: they are rejected. */
export async function findDeletedProject(db: ReadDb, projectId: string): Promise<ProjectAccess | null> {
  const [project] = await db.rows<ProjectRow>(findDeletedProjectQuery, [projectId]);
  return project ? { project, keys: [] } : null;
}

/** What authenticates requests to a project; null for an unknown project. Meant to be cached. */
export async function findProjectAccess(db: ReadDb, projectId: string): Promise<ProjectAccess | null> {
  const [projects, groups] = await Promise.all([
    db.rows<ProjectRow>(findProjectQuery, [projectId]),
    db.rows<Record<KeyKind, string | null> & { id: string; expiresAt: number }>(findKeysQuery, [projectId]),
  ]);
  const [project] = projects;
  if (!project) return null;
  const kinds = ['publishableClientKey', 'secretServerKey', 'superSecretAdminKey'] as const;
  const keys = groups.flatMap((group) =>
    kinds.flatMap((kind) => {
      const hash = group[kind];
      return hash === null ? [] : [{ id: group.id, kind, hash, expiresAt: group.expiresAt }];
    }),
  );
  return { project, keys };
}

export type ProjectKeyRow = {
  id: string;
  description: string;
  createdAt: number;
  expiresAt: number;
  revokedAt: number | null;
  /** To the minute. */
  lastUsedAt: number | null;
  publishableClientKeyLastFour: string | null;
  secretServerKeyLastFour: string | null;
  superSecretAdminKeyLastFour: string | null;
};

const projectKeyColumns = `k.id, k.description,
  (extract(epoch from k.created_at) * 1000)::float8 as "createdAt",
  (extract(epoch from k.expires_at) * 1000)::float8 as "expiresAt",
  (extract(epoch from k.revoked_at) * 1000)::float8 as "revokedAt",
  (extract(epoch from a.last_used_at) * 1000)::float8 as "lastUsedAt",
  k.publishable_client_key_last_four as "publishableClientKeyLastFour",
  k.secret_server_key_last_four as "secretServerKeyLastFour",
  k.super_secret_admin_key_last_four as "superSecretAdminKeyLastFour"`;

const listKeysQuery = defineQuery({
  name: 'list-project-keys',
  sql: (
    schema: string,
  ) => `select ${projectKeyColumns} from ${schema}.project_keys k left join activity.api_keys a on a.key_id = k.id
    where k.project_id = $1 order by k.created_at desc, k.id limit ${maxListed}`,
});

/** Newest first, including revoked and expired keys. */
export function listProjectKeys(db: ReadDb, projectId: string): Promise<ProjectKeyRow[]> {
  return db.rows<ProjectKeyRow>(listKeysQuery, [projectId]);
}

const findKeyQuery = defineQuery({
  name: 'find-project-key',
  sql: (schema: string) =>
    `select ${projectKeyColumns} from ${schema}.project_keys k
      left join activity.api_keys a on a.key_id = k.id where k.project_id = $1 and k.id = $2`,
});

/** @throws DomainError API_KEY_NOT_FOUND, also for a key of another project */
export async function findProjectKey(db: ReadDb, projectId: string, keyId: string): Promise<ProjectKeyRow> {
  const [row] = await db.rows<ProjectKeyRow>(findKeyQuery, [projectId, keyId]);
  return row ?? reject('API_KEY_NOT_FOUND');
}
