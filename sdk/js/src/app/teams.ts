import type { ClientTeamView, TeamInvitationView } from '@gatebook/contract/teams';
import type { Json } from '../json.ts';
import { type ApiKeyOwner, apiKeysOfTeam, type TeamApiKey, type TeamApiKeyFirstView } from './api-keys.ts';
import type { Read } from './cache.ts';
import { type Customer, customerOf } from './customer.ts';
import { fromWire, queryOf, toWire } from './fields.ts';
import { type Context, readList, readPath, withHooks } from './reads.ts';

export type TeamMemberProfile = { displayName: string | null; profileImageUrl: string | null };
export type EditableTeamMemberProfile = TeamMemberProfile & {
  update(options: { displayName?: string; profileImageUrl?: string | null }): Promise<void>;
};
export type TeamUser = { id: string; teamProfile: TeamMemberProfile };
export type SentTeamInvitation = {
  id: string;
  recipientEmail: string | null;
  expiresAt: Date;
  revoke(): Promise<void>;
};
export type ReceivedTeamInvitation = {
  id: string;
  teamId: string;
  teamDisplayName: string;
  recipientEmail: string;
  expiresAt: Date;
  /** Joins the team. */
  accept(): Promise<void>;
};
export type TeamCreateOptions = { displayName: string; profileImageUrl?: string };
export type TeamUpdateOptions = { displayName?: string; profileImageUrl?: string | null; clientMetadata?: Json };

export type TeamFields = {
  id: string;
  displayName: string;
  profileImageUrl: string | null;
  clientMetadata: Json;
  clientReadOnlyMetadata: Json;
};
/** What teams of clients and servers share. */
export type TeamMethods<UpdateOptions> = Customer &
  ApiKeyOwner<TeamApiKey, TeamApiKeyFirstView> & {
    update(options: UpdateOptions): Promise<void>;
    delete(): Promise<void>;
    /** Outside a browser, pass the URL of the page for invitations. */
    inviteUser(options: { email: string; callbackUrl?: string }): Promise<void>;
    /** Pending invitations, oldest first. */
    listInvitations: Read<[], SentTeamInvitation[]>;
  };
export type Team = TeamFields & TeamMethods<TeamUpdateOptions> & { listUsers: Read<[], TeamUser[]> };

export const toTeam = (context: Context, view: ClientTeamView): Team =>
  withHooks(context, {
    ...fromWire(view),
    ...teamMethods<TeamUpdateOptions>(context, view.id),
    listUsers: readList(context, () => membersPath(view.id), toTeamUser),
  });

export const membersPath = (teamId: string) => `/team-member-profiles${queryOf({ teamId })}`;

type MemberView = { user_id: string; display_name: string | null; profile_image_url: string | null };
export function toTeamUser(view: MemberView): TeamUser {
  const { userId, displayName, profileImageUrl } = fromWire(view);
  return { id: userId, teamProfile: { displayName, profileImageUrl } };
}

export function teamMethods<UpdateOptions extends object>(context: Context, id: string): TeamMethods<UpdateOptions> {
  const { send, cache, callbackUrl } = context;
  const path = `/teams/${id}`;
  const invitationsPath = '/team-invitations';
  return {
    ...customerOf(context, 'team', id),
    ...apiKeysOfTeam(context, id),
    update: async (options) => {
      await send('PATCH', path, toWire(options));
      await cache.refresh('/teams', '/users');
    },
    delete: async () => {
      await send('DELETE', path, {});
      await cache.refresh('/teams', '/users');
    },
    inviteUser: async ({ email, callbackUrl: given }) => {
      const callback_url = callbackUrl('teamInvitation', given);
      await send('POST', `${invitationsPath}/send-code`, { team_id: id, email, callback_url });
      await cache.refresh(invitationsPath);
    },
    listInvitations: readList(
      context,
      () => `${invitationsPath}${queryOf({ teamId: id })}`,
      (view: TeamInvitationView): SentTeamInvitation => {
        const { id: invitationId, recipientEmail, expiresAt } = fromWire(view);
        return {
          ...{ id: invitationId, recipientEmail, expiresAt },
          revoke: async () => {
            await send('DELETE', `${invitationsPath}/${invitationId}${queryOf({ teamId: id })}`, {});
            await cache.refresh(invitationsPath);
          },
        };
      },
    ),
  };
}

/** Invitations to the verified addresses of a user, which can be `me`. */
export const receivedInvitations = (context: Context, userId: string): Read<[], ReceivedTeamInvitation[]> =>
  readList(
    context,
    () => `/team-invitations${queryOf({ userId })}`,
    (view: TeamInvitationView): ReceivedTeamInvitation => {
      const { teamDisplayName = '', ...fields } = fromWire(view);
      return {
        ...fields,
        teamDisplayName,
        accept: async () => {
          await context.send('POST', `/team-invitations/${fields.id}/accept${queryOf({ userId })}`, {});
          await context.cache.refresh('/team');
        },
      };
    },
  );

/** How a user appears in a team. */
export const teamProfileOf = (
  context: Context,
  userId: string,
): Read<[team: { id: string }], EditableTeamMemberProfile> => {
  const pathOf = (team: { id: string }) => `/team-member-profiles/${team.id}/${userId}`;
  return readPath(context, pathOf, (view: MemberView, team): EditableTeamMemberProfile => {
    const { teamProfile } = toTeamUser(view);
    return {
      ...teamProfile,
      update: async (options) => {
        await context.send('PATCH', pathOf(team), toWire(options));
        await context.cache.refresh('/team-member-profiles');
      },
    };
  });
};
