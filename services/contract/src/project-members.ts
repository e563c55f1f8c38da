import { projectRoles } from '@gatebook/domain/project/roles';
import { z } from 'zod';
import { uuid } from './common.ts';

export const ProjectRole = z.enum(projectRoles).meta({
  id: 'ProjectRole',
  description: 'What a member may do. Each role may do all that the ones before it may.',
});
export type ProjectRole = z.infer<typeof ProjectRole>;

export const ProjectMemberView = z
  .object({
    user_id: z.string(),
    display_name: z.string().nullable(),
    primary_email: z.string().nullable(),
    profile_image_url: z.string().nullable(),
    role: ProjectRole,
    is_through_team: z.boolean().meta({ description: 'Owns the project as a member of the team that owns it.' }),
  })
  .meta({ id: 'ProjectMember' });
export type ProjectMemberView = z.infer<typeof ProjectMemberView>;

export const ProjectMemberListView = z
  .object({ items: z.array(ProjectMemberView), is_paginated: z.literal(false) })
  .meta({ id: 'ProjectMemberList' });
export type ProjectMemberListView = z.infer<typeof ProjectMemberListView>;

export const MemberParams = z.strictObject({ user_id: uuid });
export const MemberRoleBody = z.strictObject({ role: ProjectRole }).meta({ id: 'ProjectMemberRole' });
export type MemberRoleBody = z.infer<typeof MemberRoleBody>;
