import { handoverRoles, projectRoles } from '@gatebook/domain/project/roles';
import { z } from 'zod';
import { listOf, name, password, secret, signInEmail, textUpTo, uuid } from './common.ts';

export const ProjectRole = z.enum(projectRoles).meta({
  id: 'ProjectRole',
  description: 'What a member may do. Each role may do all that the ones before it may.',
});
export type ProjectRole = z.infer<typeof ProjectRole>;

const HandoverRole = z.enum(handoverRoles).meta({
  id: 'HandoverRole',
  description: 'What the sender of a transfer becomes when it is accepted; `none`: the sender leaves the project.',
});
/** null: no transfer, but an invitation that changes nothing for its sender. */
const senderRole = HandoverRole.nullable();

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

export const ProjectMemberListView = listOf(ProjectMemberView).meta({ id: 'ProjectMemberList' });
export type ProjectMemberListView = z.infer<typeof ProjectMemberListView>;

export const MemberParams = z.strictObject({ user_id: uuid });
export const MemberRoleBody = z.strictObject({ role: ProjectRole }).meta({ id: 'ProjectMemberRole' });
export type MemberRoleBody = z.infer<typeof MemberRoleBody>;

export const ProjectInvitationView = z
  .object({
    id: z.string(),
    recipient_email: z.string(),
    role: ProjectRole,
    sender_role: senderRole,
    sent_at_millis: z.number().int(),
    expires_at_millis: z.number().int(),
  })
  .meta({ id: 'ProjectInvitation' });
export type ProjectInvitationView = z.infer<typeof ProjectInvitationView>;
export const ProjectInvitationListView = listOf(ProjectInvitationView).meta({ id: 'ProjectInvitationList' });
export type ProjectInvitationListView = z.infer<typeof ProjectInvitationListView>;

export const InviteToProject = z
  .strictObject({ email: signInEmail, role: ProjectRole })
  .meta({ id: 'InviteToProject' });
export type InviteToProject = z.infer<typeof InviteToProject>;
export const TransferByEmail = z
  .strictObject({ email: signInEmail, sender_role: HandoverRole })
  .meta({ id: 'TransferByEmail' });
export type TransferByEmail = z.infer<typeof TransferByEmail>;
export const InvitedToProject = z.object({ id: z.string() }).meta({ id: 'InvitedToProject' });
export type InvitedToProject = z.infer<typeof InvitedToProject>;
export const InvitationParams = z.strictObject({ invitation_id: uuid });

const invitationCode = { project_id: textUpTo(255), code: secret };
export const ProjectInvitationCode = z.strictObject(invitationCode).meta({ id: 'ProjectInvitationCode' });
export type ProjectInvitationCode = z.infer<typeof ProjectInvitationCode>;
export const ProjectInvitationDetails = z
  .object({
    project_display_name: z.string(),
    role: ProjectRole,
    sender_role: senderRole,
    recipient_email: z.string().nullable(),
  })
  .meta({ id: 'ProjectInvitationDetails' });
export type ProjectInvitationDetails = z.infer<typeof ProjectInvitationDetails>;
export const SignUpWithInvitation = z
  .strictObject({ ...invitationCode, password, display_name: name.optional() })
  .meta({ id: 'SignUpWithInvitation' });
export type SignUpWithInvitation = z.infer<typeof SignUpWithInvitation>;
