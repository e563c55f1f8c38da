import { revokeLeakedApiKey } from '@gatebook/commands/api-key/api-key';
import type { Context } from '@gatebook/commands/deps';
import { GivenApiKey } from '@gatebook/contract/api-keys';
import { Success } from '@gatebook/contract/common';
import { reject } from '@gatebook/domain/errors';
import { expandPermissions } from '@gatebook/domain/permission/effective';
import { type ApiKeyRow, findApiKeyByHash } from '@gatebook/readmodel/api-keys/queries';
import { listTeamGrants } from '@gatebook/readmodel/permissions/queries';
import { listProfiles } from '@gatebook/readmodel/teams/queries';
import { findUser, type UserRow } from '@gatebook/readmodel/users/queries';
import { requestContext } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import type { ProjectAccess } from '../../project-access-cache.ts';

/** Anyone who found the text of a key can revoke it (protocol, resources §7.5). */
export const revokeLeakedApiKeyRoute = defineRoute({
  method: 'POST',
  path: '/integrations/credential-scanning/revoke',
  access: 'anyone',
  limit: 'code',
  errors: ['API_KEY_NOT_FOUND', 'PUBLIC_API_KEY_CANNOT_BE_REVOKED', 'API_KEY_EXPIRED'],
  tags: ['API keys'],
  summary: 'Revoke a leaked API key',
  description:
    'For anyone who finds a key: no other credential is needed. The owners of the key are notified by email.',
  body: GivenApiKey,
  response: { 200: Success },
  handle: async ({ deps, request, body }) => {
    const key = await findApiKeyByHash(deps.db, deps.sha256(body.api_key));
    const access = key && (await deps.projects.find(key.projectId));
    if (!key || !access) return reject('API_KEY_NOT_FOUND');
    const actor: Context['actor'] = { kind: 'system', id: null };
    const context = { ...requestContext(request), projectId: key.projectId, actor };
    const projectDisplayName = access.project.displayName;
    const concerned = addressesOf(await managersOf(deps, access, key));
    const input = { keyId: key.id, projectDisplayName, concerned };
    const { position } = await revokeLeakedApiKey(deps, context, input);
    return answerSuccess(position);
  },
});

/** The owner of the key, or every team member with permission to manage keys. */
async function managersOf(deps: Deps, { project }: ProjectAccess, key: ApiKeyRow): Promise<UserRow[]> {
  if (key.ownerType === 'user') return [await findUser(deps.db, project.id, key.ownerId)];
  const filter = { teamId: key.ownerId, userId: null };
  const [profiles, grants] = await Promise.all([
    listProfiles(deps.db, project.id, filter),
    listTeamGrants(deps.db, project.id, filter),
  ]);
  const mayManage = ({ id }: UserRow) => {
    const granted = grants.rows.filter(({ userId }) => userId === id).map(({ permission }) => permission);
    return expandPermissions(project.permissions, granted).has('$manage_api_keys');
  };
  return profiles.rows.map(({ user }) => user).filter(mayManage);
}

/** One email per address. */
function addressesOf(users: readonly UserRow[]): { userId: string; email: string }[] {
  const byAddress = new Map<string, { userId: string; email: string }>();
  for (const { id, primaryEmail } of users) {
    if (primaryEmail !== null) byAddress.set(primaryEmail.toLowerCase(), { userId: id, email: primaryEmail });
  }
  return [...byAddress.values()];
}
