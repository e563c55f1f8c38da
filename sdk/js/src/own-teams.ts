import type { TeamInvitation } from './teams.ts';
import type { Send } from './transport.ts';

export type OwnTeam = { id: string; displayName: string; profileImageUrl: string | null };
/** A member as the others see them. */
export type OwnTeamMember = { userId: string; displayName: string | null; profileImageUrl: string | null };

/** The teams of the signed-in user, with what the user's permissions allow. */
export type OwnTeamsClient = {
  /** Oldest first. */
  list(): Promise<readonly OwnTeam[]>;
  /** The user becomes a member. */
  create(displayName: string): Promise<OwnTeam>;
  /** The user's selected team. */
  select(teamId: string): Promise<void>;
  update(teamId: string, changes: { displayName?: string; profileImageUrl?: string | null }): Promise<void>;
  leave(teamId: string): Promise<void>;
  /** IDs of the user's permissions in the team, with all that they contain. */
  listPermissions(teamId: string): Promise<readonly string[]>;
  /** In order of joining. */
  listMembers(teamId: string): Promise<readonly OwnTeamMember[]>;
  findProfile(teamId: string): Promise<OwnTeamMember>;
  updateProfile(teamId: string, changes: { displayName: string }): Promise<void>;
  /** Pending ones, oldest first. */
  listInvitations(teamId: string): Promise<readonly TeamInvitation[]>;
  invite(teamId: string, invitation: { email: string; callbackUrl: string }): Promise<void>;
  revokeInvitation(teamId: string, invitationId: string): Promise<void>;
};

type TeamView = { id: string; display_name: string; profile_image_url: string | null };
type MemberView = { user_id: string; display_name: string | null; profile_image_url: string | null };
type InvitationView = { id: string; recipient_email: string; expires_at_millis: number };
type ListView<Item> = { items: readonly Item[]; pagination?: { next_cursor: string | null } };

/** All pages of a list. */
async function readAll<Item>(send: Send, path: string, query: Readonly<Record<string, string>>): Promise<Item[]> {
  const { items, pagination } = await send<ListView<Item>>('GET', `${path}?${new URLSearchParams(query)}`);
  const cursor = pagination?.next_cursor ?? null;
  return cursor === null ? [...items] : [...items, ...(await readAll<Item>(send, path, { ...query, cursor }))];
}

/** Loaded on first use. It imports nothing, so that it divides no module of others. */
export function ownTeamsClient(send: Send): OwnTeamsClient {
  const list = <Item>(path: string, query: Readonly<Record<string, string>>) => readAll<Item>(send, path, query);
  const invitationsPath = '/team-invitations';
  const profilePath = (teamId: string) => `/team-member-profiles/${teamId}/me`;
  return {
    list: async () => (await list<TeamView>('/teams', { user_id: 'me' })).map(toTeam),
    create: async (displayName) =>
      toTeam(await send<TeamView>('POST', '/teams', { display_name: displayName, creator_user_id: 'me' })),
    select: async (teamId) => {
      await send('PATCH', '/users/me', { selected_team_id: teamId });
    },
    update: async (teamId, { displayName, profileImageUrl }) => {
      const body = { display_name: displayName, profile_image_url: profileImageUrl };
      await send('PATCH', `/teams/${teamId}`, body);
    },
    leave: async (teamId) => {
      await send('DELETE', `/team-memberships/${teamId}/me`, {});
    },
    listPermissions: async (teamId) => {
      const query = { team_id: teamId, user_id: 'me', recursive: 'true' };
      return (await list<{ id: string }>('/team-permissions', query)).map(({ id }) => id);
    },
    listMembers: async (teamId) => (await list<MemberView>('/team-member-profiles', { team_id: teamId })).map(toMember),
    findProfile: async (teamId) => toMember(await send<MemberView>('GET', profilePath(teamId))),
    updateProfile: async (teamId, { displayName }) => {
      await send('PATCH', profilePath(teamId), { display_name: displayName });
    },
    listInvitations: async (teamId) =>
      (await list<InvitationView>(invitationsPath, { team_id: teamId })).map((view) => {
        const { id, recipient_email: recipientEmail, expires_at_millis } = view;
        return { id, recipientEmail, expiresAt: new Date(expires_at_millis) };
      }),
    invite: async (teamId, { email, callbackUrl }) => {
      await send('POST', `${invitationsPath}/send-code`, { team_id: teamId, email, callback_url: callbackUrl });
    },
    revokeInvitation: async (teamId, invitationId) => {
      await send('DELETE', `${invitationsPath}/${invitationId}?team_id=${teamId}`, {});
    },
  };
}

const toTeam = ({ id, display_name, profile_image_url }: TeamView): OwnTeam => ({
  id,
  displayName: display_name,
  profileImageUrl: profile_image_url,
});

const toMember = ({ user_id, display_name, profile_image_url }: MemberView): OwnTeamMember => ({
  userId: user_id,
  displayName: display_name,
  profileImageUrl: profile_image_url,
});
