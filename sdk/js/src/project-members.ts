import type { MemberRoleBody, ProjectMemberListView } from '@gatebook/contract/project-members';
import type { PreviewedCall } from './changes.ts';
import type { Send } from './transport.ts';

/** Each role may do all that the ones before it may. */
export type ProjectRole = 'read_only' | 'support' | 'developer' | 'owner';

export type ProjectMember = {
  userId: string;
  displayName: string | null;
  primaryEmail: string | null;
  profileImageUrl: string | null;
  role: ProjectRole;
  /** Owns the project as a member of the team that owns it. */
  isThroughTeam: boolean;
};

/** Members of a project are users of `internal`. Requires admin access; changes require the role of an owner. */
export type ProjectMembersClient = {
  /** Owners first, then by role. */
  list(): Promise<readonly ProjectMember[]>;
  setRole(userId: string, role: ProjectRole): Promise<void>;
  remove(userId: string): Promise<void>;
  /** Removes the signed-in owner of the client. Any role may. */
  leave(): Promise<void>;
};

const path = '/internal/projects/current/members';

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
});
