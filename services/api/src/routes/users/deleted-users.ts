import type { CommandResult, Context } from '@gatebook/commands/deps';
import { deleteUser, eraseUser, restoreUser } from '@gatebook/commands/user/delete-user';
import { Success, uuid } from '@gatebook/contract/common';
import { DeletedUserListView, DeletedUsersQuery, type DeletedUserView } from '@gatebook/contract/deleted-users';
import { type DeletedUserRow, deletedUserKeys, listDeletedUsers } from '@gatebook/readmodel/users/deleted-users';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';

const tags = ['Users'];
const params = z.strictObject({ user_id: uuid });

/** Deletes a user, for good if the project has no grace period. @throws DomainError USER_NOT_FOUND */
export async function deleteUserOf(
  deps: Deps,
  { project }: Caller,
  context: Context,
  userId: string,
): Promise<CommandResult> {
  // Read models of an earlier version lack the setting.
  const { userDeletionGraceDays: graceDays = 0 } = project.settings;
  const result = await deleteUser(deps, context, { userId, graceDays });
  if (graceDays === 0) await deps.activity.forgetUser(userId);
  else await deps.idempotencyRecords.forget(userId);
  return result;
}

const toView = (user: DeletedUserRow): DeletedUserView => ({
  id: user.id,
  display_name: user.displayName,
  primary_email: user.primaryEmail,
  profile_image_url: user.profileImageUrl,
  signed_up_at_millis: user.signedUpAt,
  deleted_at_millis: user.deletedAt,
  erased_at_millis: user.deleteAt,
  deleted_by_user: user.isByUser,
});

export const listDeletedUsersRoute = defineRoute({
  method: 'GET',
  path: '/internal/deleted-users',
  access: adminOnly,
  tags,
  summary: 'List deleted users',
  description: 'Users who can be restored, those first who are erased first.',
  query: DeletedUsersQuery,
  response: { 200: DeletedUserListView },
  handle: async ({ deps, request, caller, query }) => {
    const page = pageOf(request, query, deletedUserKeys);
    return toPagedList(query, await listDeletedUsers(deps.db, caller.projectId, page), toView);
  },
});

export const restoreUserRoute = defineRoute({
  method: 'POST',
  path: '/internal/users/:user_id/restore',
  access: adminOnly,
  role: 'support',
  isPreviewable: true,
  errors: ['USER_NOT_FOUND'],
  tags,
  summary: 'Restore a deleted user',
  description:
    'Restores a user within the grace period. Their sessions stay ended and their API keys stay revoked. Does nothing to a user who is not deleted.',
  params,
  response: { 200: Success },
  handle: async ({ deps, context, params }) =>
    answerSuccess((await restoreUser(deps, context, { userId: params.user_id })).position),
});

export const eraseUserRoute = defineRoute({
  method: 'POST',
  path: '/internal/users/:user_id/erase',
  access: adminOnly,
  isPreviewable: true,
  errors: ['USER_NOT_FOUND'],
  tags,
  summary: 'Erase a user',
  description: 'Deletes a user without a grace period, or ends the grace period of a deleted user.',
  params,
  response: { 200: Success },
  handle: async ({ deps, context, params }) => {
    const { position } = await eraseUser(deps, context, { userId: params.user_id });
    await deps.activity.forgetUser(params.user_id);
    return answerSuccess(position);
  },
});
