import { addTeamMember, removeTeamMember } from '@gatebook/commands/team/team';
import { Success, uuid } from '@gatebook/contract/common';
import { MembershipView } from '@gatebook/contract/teams';
import { z } from 'zod';
import { clientAndUp, ownUser, ownUserErrors, serverAndUp } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { pathUserId } from '../path-user.ts';
import { requireActingUserId, teamPermissionErrors } from './require-permission.ts';

const tags = ['Teams'];
export const memberParams = z.strictObject({ team_id: uuid, user_id: pathUserId });

export const addTeamMemberRoute = defineRoute({
  method: 'POST',
  path: '/team-memberships/:team_id/:user_id',
  access: serverAndUp,
  isPreviewable: true,
  errors: [...ownUserErrors, 'USER_NOT_FOUND', 'TEAM_NOT_FOUND', 'TEAM_MEMBERSHIP_ALREADY_EXISTS'],
  tags,
  summary: 'Add a user to a team',
  description: 'The user gets the project’s default permissions for members.',
  params: memberParams,
  body: z.strictObject({}),
  response: { 201: MembershipView },
  handle: async ({ deps, caller, context, params }) => {
    const { team_id: teamId, user_id } = params;
    const userId = user_id === 'me' ? ownUser(caller).id : user_id;
    const input = { teamId, userId, project: caller.project };
    const { position } = await addTeamMember(deps, context, input);
    return { position, body: { team_id: teamId, user_id: userId } };
  },
});

/** Members can leave; removing others requires a permission (protocol, resources §4.1). */
export const removeTeamMemberRoute = defineRoute({
  method: 'DELETE',
  path: '/team-memberships/:team_id/:user_id',
  access: clientAndUp,
  isPreviewable: true,
  session: 'any',
  errors: [...ownUserErrors, ...teamPermissionErrors, 'USER_NOT_FOUND'],
  tags,
  summary: 'Remove a user from a team',
  description:
    'Client access can leave the team. It needs `$remove_members` to remove other members. A team can be empty.',
  params: memberParams,
  response: { 200: Success },
  handle: async ({ deps, caller, context, params }) => {
    const by = requireActingUserId(caller, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    const { team_id: teamId, user_id } = params;
    const userId = user_id === 'me' ? ownUser(caller).id : user_id;
    const { position } = await removeTeamMember(deps, context, { teamId, userId, by });
    return answerSuccess(position);
  },
});
