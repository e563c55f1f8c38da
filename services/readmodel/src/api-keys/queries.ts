import type { ApiKeyOwnerType } from '@gatebook/domain/api-key/events';
import { reject } from '@gatebook/domain/errors';
import type { RestrictionFacts } from '@gatebook/domain/user/restriction';
import { definePagedQuery, type Listed, listPage, type Page, wholeList } from '../list-pages.ts';
import { defineCrossProjectQuery, defineQuery, type ReadDb, standingOf } from '../read-db.ts';
import { rowStreams } from '../row-streams.ts';

/** Times are milliseconds since 1970. */
export type ApiKeyRow = {
  id: string;
  projectId: string;
  ownerType: ApiKeyOwnerType;
  ownerId: string;
  /** Null once its owner is erased. */
  description: string | null;
  isPublic: boolean;
  lastFour: string;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
};

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const revokedAt = `coalesce(k.revoked_at,
  case when k.owner_revision < u.api_keys_revoked_revision then u.api_keys_revoked_at end)`;
const columns = `k.id, k.project_id as "projectId",
  case when k.team_id is null then 'user' else 'team' end as "ownerType", coalesce(k.user_id, k.team_id) as "ownerId",
  k.description, k.is_public as "isPublic", k.last_four as "lastFour", ${millis('k.created_at')} as "createdAt",
  ${millis('k.expires_at')} as "expiresAt", ${millis(revokedAt)} as "revokedAt"`;
/** A key created while its owner was being deleted counts as deleted. */
const withOwner = (schema: string) => `${schema}.api_keys k
  left join ${schema}.users u on u.id = k.user_id left join ${schema}.teams t on t.id = k.team_id`;
const hasOwner = '(u.id is not null or t.id is not null)';

const byHashQuery = defineCrossProjectQuery({
  name: 'find-api-key-by-hash',
  isHot: true,
  sql: (schema: string) => `select ${columns}, case when u.id is not null then json_build_object(
      'restrictedByAdmin', u.restricted_by_admin, 'isAnonymous', u.is_anonymous,
      'primaryEmailVerified', u.is_email_verified) end as "user"
    from ${withOwner(schema)}
    where k.hash = $1 and ${hasOwner}`,
  standingOf: standingOf<PresentedKeyRow>(({ id, projectId, ownerType, ownerId }) => ({
    projectId,
    streams: rowStreams.api_keys.of({
      id,
      project_id: projectId,
      user_id: ownerType === 'user' ? ownerId : null,
      team_id: ownerType === 'team' ? ownerId : null,
    }),
    // Callers compare the expiry with the time.
    until: null,
  })),
});

/** A key with what decides whether its user is restricted; `user` is null for the key of a team. */
export type PresentedKeyRow = ApiKeyRow & { user: RestrictionFacts | null };

/** Finds a key of any project. `hash`: SHA-256 of the key's text, base64url. */
export async function findApiKeyByHash(db: ReadDb, hash: string): Promise<PresentedKeyRow | null> {
  const [row] = await db.rowsOfAllProjects<PresentedKeyRow>(byHashQuery, [hash]);
  return row ?? null;
}

const byIdQuery = defineQuery({
  name: 'find-api-key',
  sql: (schema: string) => `select ${columns} from ${withOwner(schema)}
    where k.id = $2 and k.project_id = $1 and ${hasOwner} and (k.team_id is null) = ($3::text = 'user')`,
});

/** @throws DomainError API_KEY_NOT_FOUND, also for a key of the other kind or of another project */
export async function findApiKey(
  db: ReadDb,
  projectId: string,
  keyId: string,
  ownerType: ApiKeyOwnerType,
): Promise<ApiKeyRow> {
  const [row] = await db.rows<ApiKeyRow>(byIdQuery, [projectId, keyId, ownerType]);
  return row ?? reject('API_KEY_NOT_FOUND');
}

const listQuery = (ownerType: ApiKeyOwnerType) =>
  definePagedQuery({
    name: `list-${ownerType}-api-keys`,
    sortedBy: { 'k.since': 'position' },
    isDescending: true,
    values: 2,
    sql: (schema, page) => `select ${columns}, ${page.key} from ${withOwner(schema)}
    where k.project_id = $1 and k.${ownerType}_id = $2 and ${hasOwner} and ${page.from} ${page.end}`,
  });
const listQueries = { user: listQuery('user'), team: listQuery('team') };
export const { forms: apiKeyKeys } = listQueries.user;

/** Newest first, including revoked and expired keys. */
export function listApiKeys(
  db: ReadDb,
  projectId: string,
  { ownerType, ownerId }: Pick<ApiKeyRow, 'ownerType' | 'ownerId'>,
  page: Page = wholeList,
): Promise<Listed<ApiKeyRow>> {
  return listPage<ApiKeyRow>(db, listQueries[ownerType], [projectId, ownerId], page);
}
