import type { TokensView } from '@gatebook/contract/auth';
import type {
  InvitedToProject,
  InviteToProject,
  MemberRoleBody,
  ProjectInvitationCode,
  ProjectInvitationDetails,
  ProjectInvitationListView,
  ProjectMemberListView,
  SignUpWithInvitation,
  TransferByEmail,
} from '@gatebook/contract/project-members';
import type { PreviewedCall } from './changes.ts';
import type { Session } from './session.ts';
import type { Send } from './transport.ts';

/** Each role may do all that the ones before it may. */
export type ProjectRole = 'read_only' | 'support' | 'developer' | 'owner';

/** What the sender of a transfer becomes when it is accepted; `none`: the sender leaves the project. */
export type HandoverRole = Exclude<ProjectRole, 'owner'> | 'none';

export type ProjectMember = {
  userId: string;
  displayName: string | null;
  primaryEmail: string | null;
  profileImageUrl: string | null;
  role: ProjectRole;
  /** Owns the project as a member of the team that owns it. */
  isThroughTeam: boolean;
};

export type ProjectInvitation = {
  id: string;
  recipientEmail: string;
  role: ProjectRole;
  /** null: no transfer. */
  senderRole: HandoverRole | null;
  sentAt: Date;
  expiresAt: Date;
};

/** Members of a project are users of `internal`. Requires admin access; changes require the role of an owner. */
export type ProjectMembersClient = {
  /** Owners first, then by role. */
  list(): Promise<readonly ProjectMember[]>;
  setRole(userId: string, role: ProjectRole): Promise<void>;
  remove(userId: string): Promise<void>;
  /** Removes the signed-in owner of the client. Any role may. */
  leave(): Promise<void>;
  /** Those that are open, oldest first. */
  listInvitations(): Promise<readonly ProjectInvitation[]>;
  /** Emails a link that is valid for seven days. @returns the ID of the invitation */
  invite(email: string, role: ProjectRole): Promise<string>;
  /** Invites a person as new owner, instead of the signed-in one. @returns the ID of the invitation */
  transfer(email: string, senderRole: HandoverRole): Promise<string>;
  /** Emails a new link; the earlier one stops working. @returns the new ID of the invitation */
  resendInvitation(invitationId: string): Promise<string>;
  revokeInvitation(invitationId: string): Promise<void>;
};

const path = '/internal/projects/current/members';
const invitationsPath = '/internal/projects/current/invitations';
const receivedPath = '/internal/project-invitations';

/** What `setRole` calls, for a preview. */
export const callOfRoleChange = (userId: string, role: ProjectRole): PreviewedCall => ({
  method: 'PUT',
  path: `${path}/${userId}`,
  body: { role } satisfies MemberRoleBody,
});

export const projectMembersClient = (send: Send): ProjectMembersClient => ({
  list: async () =>
    (await send<ProjectMemberListView>('GET', path)).items.map((view) => ({
      userId: view.user_id,
      displayName: view.display_name,
      primaryEmail: view.primary_email,
      profileImageUrl: view.profile_image_url,
      role: view.role,
      isThroughTeam: view.is_through_team,
    })),
  setRole: async (userId, role) => {
    await send('PUT', `${path}/${userId}`, { role } satisfies MemberRoleBody);
  },
  remove: async (userId) => {
    await send('DELETE', `${path}/${userId}`, {});
  },
  leave: async () => {
    await send('DELETE', `${path}/me`, {});
  },
  listInvitations: async () =>
    (await send<ProjectInvitationListView>('GET', invitationsPath)).items.map((view) => ({
      id: view.id,
      recipientEmail: view.recipient_email,
      role: view.role,
      senderRole: view.sender_role,
      sentAt: new Date(view.sent_at_millis),
      expiresAt: new Date(view.expires_at_millis),
    })),
  invite: async (email, role) => {
    const body: InviteToProject = { email, role };
    return (await send<InvitedToProject>('POST', invitationsPath, body)).id;
  },
  transfer: async (email, senderRole) => {
    const body: TransferByEmail = { email, sender_role: senderRole };
    return (await send<InvitedToProject>('POST', '/internal/projects/current/transfer', body)).id;
  },
  resendInvitation: async (id) => (await send<InvitedToProject>('POST', `${invitationsPath}/${id}/resend`, {})).id,
  revokeInvitation: async (id) => {
    await send('DELETE', `${invitationsPath}/${id}`, {});
  },
});

/** From the link of the email. */
export type InvitationLink = { projectId: string; code: string };
/** `senderRole`: null for an invitation that is not a transfer. */
export type ReceivedInvitation = {
  projectName: string;
  role: ProjectRole;
  senderRole: HandoverRole | null;
  recipientEmail: string | null;
};

/**
 * For the invited; requires a client of `internal`.
 * @throws KnownError of the family VERIFICATION_ERROR for an invalid link
 */
export type ProjectInvitationsClient = {
  /** Does not redeem the link. */
  find(link: InvitationLink): Promise<ReceivedInvitation>;
  /** Makes the signed-in person a member. */
  accept(link: InvitationLink): Promise<void>;
  /** Creates an account with the invited address, signs in and accepts. */
  signUp(link: InvitationLink, input: { password: string; displayName: string | null }): Promise<void>;
};

const codeOf = ({ projectId, code }: InvitationLink): ProjectInvitationCode => ({ project_id: projectId, code });

export const projectInvitationsClient = (send: Send, session: Session): ProjectInvitationsClient => ({
  find: async (link) => {
    const view = await send<ProjectInvitationDetails>('POST', `${receivedPath}/details`, codeOf(link));
    const { role, sender_role: senderRole, recipient_email: recipientEmail } = view;
    return { projectName: view.project_display_name, role, senderRole, recipientEmail };
  },
  accept: async (link) => {
    await send('POST', `${receivedPath}/accept`, codeOf(link));
  },
  signUp: async (link, { password, displayName }) => {
    const body: SignUpWithInvitation = {
      ...codeOf(link),
      password,
      ...(displayName !== null && { display_name: displayName }),
    };
    const tokens = await send<TokensView>('POST', `${receivedPath}/sign-up`, body);
    session.adopt({ accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  },
});
