import { changeMember } from '@gatebook/commands/project/members';
import { Success } from '@gatebook/contract/common';
import {
  MemberParams,
  MemberRoleBody,
  ProjectMemberListView,
  type ProjectMemberView,
} from '@gatebook/contract/project-members';
import { reject } from '@gatebook/domain/errors';
import { listProjectMembers, type ProjectMemberRow } from '@gatebook/readmodel/projects/members';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';

const tags = ['Project members'];
const path = '/internal/projects/current/members';

const toView = (row: ProjectMemberRow): ProjectMemberView => ({
  user_id: row.userId,
  display_name: row.displayName,
  primary_email: row.primaryEmail,
  profile_image_url: row.profileImageUrl,
  role: row.role,
  is_through_team: row.isThroughTeam,
});

export const listMembersRoute = defineRoute({
  method: 'GET',
  path,
  access: adminOnly,
  tags,
  summary: 'List project members',
  description: 'Owners first, then by role.',
  response: { 200: ProjectMemberListView },
  handle: async ({ deps, caller }) => {
    const members = await listProjectMembers(deps.db, caller.projectId);
    return { items: members.map(toView), is_paginated: false as const };
  },
});

const memberErrors = ['PROJECT_MEMBER_NOT_FOUND', 'LAST_PROJECT_OWNER'] as const;

export const changeMemberRoleRoute = defineRoute({
  method: 'PUT',
  path: `${path}/:user_id`,
  access: adminOnly,
  role: 'owner',
  isPreviewable: true,
  errors: [...memberErrors, 'USER_NOT_FOUND'],
  tags,
  summary: 'Change the role of a project member',
  description: 'Takes effect at once. A project keeps at least one owner.',
  params: MemberParams,
  body: MemberRoleBody,
  response: { 200: Success },
  handle: async ({ deps, context, params, body }) => {
    const { position } = await changeMember(deps, context, { userId: params.user_id, role: body.role });
    return answerSuccess(position);
  },
});

export const removeMemberRoute = defineRoute({
  method: 'DELETE',
  path: `${path}/:user_id`,
  access: adminOnly,
  role: 'owner',
  isPreviewable: true,
  errors: memberErrors,
  tags,
  summary: 'Remove a project member',
  description: 'The account of the member stays. A project keeps at least one owner.',
  params: MemberParams,
  response: { 200: Success },
  handle: async ({ deps, context, params }) => {
    const { position } = await changeMember(deps, context, { userId: params.user_id, role: null });
    return answerSuccess(position);
  },
});

export const leaveProjectRoute = defineRoute({
  method: 'DELETE',
  path: `${path}/me`,
  access: adminOnly,
  role: 'read_only',
  isPreviewable: true,
  errors: [...memberErrors, 'USER_AUTHENTICATION_REQUIRED'],
  tags,
  summary: 'Leave the project',
  description: 'Removes the user of the admin access token from the members.',
  response: { 200: Success },
  handle: async ({ deps, caller, context }) => {
    const userId = caller.owner?.id ?? reject('USER_AUTHENTICATION_REQUIRED');
    const { position } = await changeMember(deps, context, { userId, role: null });
    return answerSuccess(position);
  },
});
