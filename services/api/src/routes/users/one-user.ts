import { updateUser } from '@gatebook/commands/user/update-user';
import { Success, uuid } from '@gatebook/contract/common';
import { ServerUserView, UserPatch, UsersQuery } from '@gatebook/contract/users';
import { findUser } from '@gatebook/readmodel/users/queries';
import { z } from 'zod';
import { serverAndUp } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { deleteUserOf } from './deleted-users.ts';
import { checkPasskeySwitch, userPatchErrors, userPatchRole } from './rules.ts';
import { omittedOfUsers, toServerUserView, toUserInput, withChanges } from './wire.ts';

const params = z.strictObject({ user_id: uuid });
const shared = { tags: ['Users'], params, query: UsersQuery };

export const getUserRoute = defineRoute({
  method: 'GET',
  path: '/users/:user_id',
  asOf: omittedOfUsers,
  access: serverAndUp,
  isQueryIgnored: true,
  errors: ['USER_NOT_FOUND'],
  ...shared,
  summary: 'Get a user',
  description: 'Includes the fields that only servers can read.',
  response: { 200: ServerUserView },
  handle: async ({ deps, request, caller, params }) =>
    toServerUserView(request, await findUser(deps.db, caller.projectId, params.user_id)),
});

export const updateUserRoute = defineRoute({
  method: 'PATCH',
  path: '/users/:user_id',
  bodySize: 'large',
  access: serverAndUp,
  role: userPatchRole,
  isPreviewable: true,
  isQueryIgnored: true,
  errors: ['USER_NOT_FOUND', ...userPatchErrors],
  ...shared,
  summary: 'Update a user',
  description: 'Omitted fields are unchanged. Changing or removing the password ends all sessions of the user.',
  body: UserPatch,
  response: { 200: ServerUserView },
  handle: async ({ deps, request, caller, context, params, body }) => {
    const { projectId, project } = caller;
    const user = await findUser(deps.db, projectId, params.user_id);
    checkPasskeySwitch(body);
    const input = { userId: user.id, project, ...toUserInput(body) };
    const { position } = await updateUser(deps, context, input);
    return {
      position,
      body: async () => toServerUserView(request, await findUser(deps.db, projectId, user.id)),
      stale: () => toServerUserView(request, withChanges(user, body)),
    };
  },
});

export const deleteUserRoute = defineRoute({
  method: 'DELETE',
  path: '/users/:user_id',
  access: serverAndUp,
  role: 'developer',
  isPreviewable: true,
  isQueryIgnored: true,
  errors: ['USER_NOT_FOUND'],
  ...shared,
  summary: 'Delete a user',
  description:
    'Ends all sessions and erases all personal data permanently, after the grace period if the project has one. The user’s teams remain.',
  response: { 200: Success },
  handle: async ({ deps, caller, context, params }) =>
    answerSuccess((await deleteUserOf(deps, caller, context, params.user_id)).position),
});
