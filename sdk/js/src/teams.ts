import type { DeletedTeamView } from '@gatebook/contract/deleted-teams';
import type { NewTeam, ServerTeamView, TeamInvitationList, TeamPatch } from '@gatebook/contract/teams';
import type { ProfileList } from '@gatebook/contract/users';
import { type DeletedItemsClient, type DeletedPage, deletedItemsClient } from './deleted.ts';
import type { Json } from './json.ts';
import type { Send } from './transport.ts';
import { toUser, type User } from './users.ts';

export type Team = {
  id: string;
  displayName: string;
  profileImageUrl: string | null;
  createdAt: Date;
  clientMetadata: Json;
  clientReadOnlyMetadata: Json;
  serverMetadata: Json;
};
export type TeamChanges = { displayName?: string; profileImageUrl?: string | null };
/** A member with their profile in the team, which can differ from the user's own. */
export type TeamMember = { user: User; displayName: string | null; profileImageUrl: string | null };
/** A team that can be restored until `erasedAt`, with its members, permissions, invitations and API keys. */
export type DeletedTeam = {
  id: string;
  displayName: string;
  profileImageUrl: string | null;
  createdAt: Date;
  deletedAt: Date;
  erasedAt: Date;
};
export type DeletedTeamPage = DeletedPage<DeletedTeam>;
export type TeamInvitation = { id: string; recipientEmail: string; expiresAt: Date };

/** All teams of a project; for server and admin access. */
export type TeamsClient = {
  /** Oldest first. */
  list(): Promise<readonly Team[]>;
  listOf(userId: string): Promise<readonly Team[]>;
  find(teamId: string): Promise<Team>;
  create(input: { displayName: string }): Promise<Team>;
  update(teamId: string, changes: TeamChanges): Promise<Team>;
  /** Erases the team at once, or after the project's grace period. */
  delete(teamId: string): Promise<void>;
  /** In order of joining. */
  listMembers(teamId: string): Promise<readonly TeamMember[]>;
  addMember(teamId: string, userId: string): Promise<void>;
  removeMember(teamId: string, userId: string): Promise<void>;
  /** Pending invitations, oldest first. */
  listInvitations(teamId: string): Promise<readonly TeamInvitation[]>;
  invite(teamId: string, invitation: { email: string; callbackUrl: string }): Promise<void>;
  revokeInvitation(teamId: string, invitationId: string): Promise<void>;
} & DeletedItemsClient<DeletedTeam>;

export const teamsClient = (send: Send): TeamsClient => {
  const list = async (query: string) =>
    (await send<{ items: ServerTeamView[] }>('GET', `/teams${query}`)).items.map(toTeam);
  const teamPath = (teamId: string) => `/teams/${encodeURIComponent(teamId)}`;
  const memberPath = (teamId: string, userId: string) =>
    `/team-memberships/${encodeURIComponent(teamId)}/${encodeURIComponent(userId)}`;
  const ofTeam = (teamId: string) => new URLSearchParams({ team_id: teamId });
  return {
    list: () => list(''),
    listOf: (userId) => list(`?${new URLSearchParams({ user_id: userId })}`),
    find: async (teamId) => toTeam(await send<ServerTeamView>('GET', teamPath(teamId))),
    create: async ({ displayName }) =>
      toTeam(await send<ServerTeamView>('POST', '/teams', { display_name: displayName } satisfies NewTeam)),
    update: async (teamId, { displayName, profileImageUrl }) =>
      toTeam(
        await send<ServerTeamView>('PATCH', teamPath(teamId), {
          display_name: displayName,
          profile_image_url: profileImageUrl,
        } satisfies TeamPatch),
      ),
    delete: async (teamId) => {
      await send('DELETE', teamPath(teamId), {});
    },
    ...deletedItemsClient(send, 'teams', toDeletedTeam),
    listMembers: async (teamId) => {
      const answer = await send<ProfileList>('GET', `/team-member-profiles?${ofTeam(teamId)}`);
      return answer.items.flatMap((profile) => {
        const { display_name: displayName, profile_image_url: profileImageUrl } = profile;
        return 'user' in profile ? [{ user: toUser(profile.user), displayName, profileImageUrl }] : [];
      });
    },
    addMember: async (teamId, userId) => {
      await send('POST', memberPath(teamId, userId), {});
    },
    removeMember: async (teamId, userId) => {
      await send('DELETE', memberPath(teamId, userId), {});
    },
    listInvitations: async (teamId) => {
      const answer = await send<TeamInvitationList>('GET', `/team-invitations?${ofTeam(teamId)}`);
      return answer.items.map(({ id, recipient_email, expires_at_millis }) => {
        return { id, recipientEmail: recipient_email, expiresAt: new Date(expires_at_millis) };
      });
    },
    invite: async (teamId, { email, callbackUrl }) => {
      await send('POST', '/team-invitations/send-code', { team_id: teamId, email, callback_url: callbackUrl });
    },
    revokeInvitation: async (teamId, invitationId) => {
      await send('DELETE', `/team-invitations/${encodeURIComponent(invitationId)}?${ofTeam(teamId)}`, {});
    },
  };
};

const toDeletedTeam = (view: DeletedTeamView): DeletedTeam => ({
  id: view.id,
  displayName: view.display_name,
  profileImageUrl: view.profile_image_url,
  createdAt: new Date(view.created_at_millis),
  deletedAt: new Date(view.deleted_at_millis),
  erasedAt: new Date(view.erased_at_millis),
});

function toTeam(view: ServerTeamView): Team {
  return {
    id: view.id,
    displayName: view.display_name,
    profileImageUrl: view.profile_image_url,
    createdAt: new Date(view.created_at_millis),
    clientMetadata: view.client_metadata,
    clientReadOnlyMetadata: view.client_read_only_metadata,
    serverMetadata: view.server_metadata,
  };
}
