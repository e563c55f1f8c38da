import { mergeUsers } from '@gatebook/commands/user/merge-users';
import { uuid } from '@gatebook/contract/common';
import { UserMergeBody, UserMergeView } from '@gatebook/contract/user-merges';
import { withSystemPermissions } from '@gatebook/domain/permission/effective';
import { internalProjectId } from '@gatebook/domain/project/decide';
import type { MergeItem, MergeSummary } from '@gatebook/domain/user/merge/items';
import { type ApiKeyRow, listApiKeys } from '@gatebook/readmodel/api-keys/queries';
import { listDeletedProjects, listOwnedProjects } from '@gatebook/readmodel/projects/queries';
import { listTeamsOfMember, type MemberTeamRow } from '@gatebook/readmodel/teams/queries';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';

/** What the duplicate may have, by the read models. The command decides by the log. */
async function listHoldings({ db }: Deps, projectId: string, userId: string) {
  const isOwner = projectId === internalProjectId;
  const [teams, { rows: keys }, owned, deleted] = await Promise.all([
    listTeamsOfMember(db, projectId, userId),
    listApiKeys(db, projectId, { ownerType: 'user', ownerId: userId }),
    isOwner ? listOwnedProjects(db, userId) : [],
    isOwner ? listDeletedProjects(db, userId) : [],
  ]);
  return { teams, keys, projectIds: [...owned, ...deleted].map(({ id }) => id) };
}

type Named = { project: Caller['project']; teams: readonly MemberTeamRow[]; keys: readonly ApiKeyRow[] };

/** Names of things in place of their IDs. */
function toView({ moved, dropped }: MergeSummary, { project, teams, keys }: Named) {
  const permissions = withSystemPermissions(project.permissions);
  const nameOf = ({ kind, name }: MergeItem): string | null => {
    if (kind === 'api_key') return keys.find(({ id }) => id === name)?.description ?? null;
    const isPermission = kind === 'project_permission' || kind === 'team_permission';
    // A grant of a permission without a definition has no effect.
    if (isPermission) return permissions.find(({ key }) => key === name)?.id ?? null;
    return name;
  };
  const teamOf = ({ kind, name, teamId }: MergeItem) => (kind === 'selected_team' ? name : teamId);
  const view = (item: MergeItem) => {
    const teamId = teamOf(item);
    const team = teams.find(({ id }) => id === teamId);
    const name = item.kind === 'selected_team' ? null : nameOf(item);
    return { kind: item.kind, name, team_id: teamId, team_name: team?.displayName ?? null };
  };
  return { moved: moved.map(view), dropped: dropped.map((item) => ({ ...view(item), reason: item.reason })) };
}

export const mergeUsersRoute = defineRoute({
  method: 'POST',
  path: '/internal/users/:user_id/merge',
  access: adminOnly,
  isPreviewable: true,
  errors: ['USER_NOT_FOUND', 'USER_MERGE_WITH_ITSELF', 'USER_MERGE_OF_PROJECT_MEMBER'],
  tags: ['Users'],
  summary: 'Merge a duplicate into a user',
  description:
    'Gives the user of the path everything that only the duplicate has: teams with permissions, project permissions, connected accounts, the passkey, API keys, email addresses and metadata. Then deletes the duplicate permanently, without a grace period. Where both have something that a user has once, such as a password, that of the user of the path stays.',
  params: z.strictObject({ user_id: uuid }),
  body: UserMergeBody,
  response: { 200: UserMergeView },
  handle: async ({ deps, caller: { projectId, project }, context, params, body }) => {
    const { user_id: userId } = params;
    const { duplicate_user_id: duplicateId } = body;
    const { teams, keys, projectIds } = await listHoldings(deps, projectId, duplicateId);
    const [teamIds, apiKeyIds] = [teams.map(({ id }) => id), keys.map(({ id }) => id)];
    const input = { userId, duplicateId, teamIds, apiKeyIds, projectIds };
    const { summary, position } = await mergeUsers(deps, context, input);
    await deps.activity.forgetUser(duplicateId);
    await deps.idempotencyRecords.forget(duplicateId);
    const view = toView(summary, { project, teams, keys });
    return { position, body: { user_id: userId, duplicate_user_id: duplicateId, ...view } };
  },
});
