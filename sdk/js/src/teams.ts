import type { DeletedTeamView } from '@gatebook/contract/deleted-teams';
import type {
  NewTeam,
  ServerTeamView,
  TeamInvitationList,
  TeamOverviewList,
  TeamPatch,
} from '@gatebook/contract/teams';
import type { ProfileList } from '@gatebook/contract/users';
import { type DeletedItemsClient, type DeletedPage, deletedItemsClient } from './deleted.ts';
import type { Json } from './json.ts';
import { type ListPage, type PageQuery, type PageView, toListPage, toPageParams } from './list-pages.ts';
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
export type TeamChanges = {
  displayName?: string;
  profileImageUrl?: string | null;
  clientMetadata?: Json;
  clientReadOnlyMetadata?: Json;
  serverMetadata?: Json;
};
/** A team in a list, without its metadata and image. */
export type TeamOverview = { id: string; displayName: string; createdAt: Date; memberCount: number };
export type TeamOrder = 'createdAt' | 'displayName' | 'memberCount';
/** `query`: an ID, or part of a name. By time of creation unless `orderBy` says otherwise. */
export type SearchTeams = PageQuery & { query?: string; orderBy?: TeamOrder; desc?: boolean };
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
  /** With numbers of members; for admin access. */
  search(query: SearchTeams): Promise<ListPage<TeamOverview>>;
  /** Teams of a user, oldest first. */
  listOf(userId: string, page: PageQuery): Promise<ListPage<Team>>;
  find(teamId: string): Promise<Team>;
  create(input: { displayName: string }): Promise<Team>;
  update(teamId: string, changes: TeamChanges): Promise<Team>;
  /** Erases the team at once, or after the project's grace period. */
  delete(teamId: string): Promise<void>;
  /** In order of joining. */
  listMembers(teamId: string, page: PageQuery): Promise<ListPage<TeamMember>>;
  addMember(teamId: string, userId: string): Promise<void>;
  removeMember(teamId: string, userId: string): Promise<void>;
  /** Pending invitations, oldest first. */
  listInvitations(teamId: string, page: PageQuery): Promise<ListPage<TeamInvitation>>;
  invite(teamId: string, invitation: { email: string; callbackUrl: string }): Promise<void>;
  revokeInvitation(teamId: string, invitationId: string): Promise<void>;
} & DeletedItemsClient<DeletedTeam>;

export const teamsClient = (send: Send): TeamsClient => {
  const teamPath = (teamId: string) => `/teams/${encodeURIComponent(teamId)}`;
  const memberPath = (teamId: string, userId: string) =>
    `/team-memberships/${encodeURIComponent(teamId)}/${encodeURIComponent(userId)}`;
  const ofTeam = (teamId: string) => new URLSearchParams({ team_id: teamId });
  return {
    list: async () => (await send<PageView<ServerTeamView>>('GET', '/teams')).items.map(toTeam),
    search: async ({ query, orderBy, desc, ...page }) => {
      const search = new URLSearchParams({
        ...toPageParams(page),
        ...(query && { query }),
        ...(orderBy && { order_by: wireOrders[orderBy] }),
        ...(desc && { desc: 'true' }),
      });
      return toListPage(await send<TeamOverviewList>('GET', `/internal/teams?${search}`), (view) => ({
        id: view.id,
        displayName: view.display_name,
        createdAt: new Date(view.created_at_millis),
        memberCount: view.member_count,
      }));
    },
    listOf: async (userId, page) => {
      const search = new URLSearchParams({ user_id: userId, ...toPageParams(page) });
      return toListPage(await send<PageView<ServerTeamView>>('GET', `/teams?${search}`), toTeam);
    },
    find: async (teamId) => toTeam(await send<ServerTeamView>('GET', teamPath(teamId))),
    create: async ({ displayName }) =>
      toTeam(await send<ServerTeamView>('POST', '/teams', { display_name: displayName } satisfies NewTeam)),
    update: async (teamId, { displayName, profileImageUrl, ...metadata }) =>
      toTeam(
        await send<ServerTeamView>('PATCH', teamPath(teamId), {
          display_name: displayName,
          profile_image_url: profileImageUrl,
          client_metadata: metadata.clientMetadata,
          client_read_only_metadata: metadata.clientReadOnlyMetadata,
          server_metadata: metadata.serverMetadata,
        } satisfies TeamPatch),
      ),
    delete: async (teamId) => {
      await send('DELETE', teamPath(teamId), {});
    },
    ...deletedItemsClient(send, 'teams', toDeletedTeam),
    listMembers: async (teamId, page) => {
      const search = new URLSearchParams({ team_id: teamId, ...toPageParams(page) });
      const { items, nextCursor } = toListPage(
        await send<ProfileList>('GET', `/team-member-profiles?${search}`),
        (profile) => {
          const { display_name: displayName, profile_image_url: profileImageUrl } = profile;
          return 'user' in profile ? [{ user: toUser(profile.user), displayName, profileImageUrl }] : [];
        },
      );
      return { items: items.flat(), nextCursor };
    },
    addMember: async (teamId, userId) => {
      await send('POST', memberPath(teamId, userId), {});
    },
    removeMember: async (teamId, userId) => {
      await send('DELETE', memberPath(teamId, userId), {});
    },
    listInvitations: async (teamId, page) => {
      const search = new URLSearchParams({ team_id: teamId, ...toPageParams(page) });
      return toListPage(await send<TeamInvitationList>('GET', `/team-invitations?${search}`), (view) => {
        return { id: view.id, recipientEmail: view.recipient_email, expiresAt: new Date(view.expires_at_millis) };
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

const wireOrders = { createdAt: 'created_at', displayName: 'display_name', memberCount: 'member_count' } as const;

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
