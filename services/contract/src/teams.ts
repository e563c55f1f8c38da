import { z } from 'zod';
import {
  email,
  flag,
  imageUrl,
  JsonValue,
  metadata,
  name,
  pagedListOf,
  pageFields,
  textOf,
  textUpTo,
  url,
  userId,
  uuid,
  viewsByAccess,
} from './common.ts';

const clientFields = {
  id: z.uuid(),
  display_name: z.string(),
  profile_image_url: z.string().nullable(),
  client_metadata: JsonValue,
  client_read_only_metadata: JsonValue,
};

export const ClientTeamView = z
  .object(clientFields)
  .meta({ id: 'ClientTeam', description: 'What client access sees of a team.' });
export type ClientTeamView = z.infer<typeof ClientTeamView>;
export const ServerTeamView = z
  .object({ ...clientFields, created_at_millis: z.number().int(), server_metadata: JsonValue })
  .meta({ id: 'Team' });
export type ServerTeamView = z.infer<typeof ServerTeamView>;
export const TeamView = viewsByAccess({ server: ServerTeamView, client: ClientTeamView });
export const TeamList = pagedListOf(TeamView).meta({ id: 'TeamList' });

/** `add_current_user`: older field for making the signed-in user the creator of the team. */
export const TeamsQuery = z.strictObject({ user_id: userId.optional(), add_current_user: flag.optional() });

export const TeamsListQuery = z.strictObject({
  user_id: userId.optional(),
  add_current_user: flag.optional(),
  ...pageFields,
  order_by: textOf(z.literal('created_at')).optional(),
  desc: flag.optional(),
  query: textUpTo(512).optional(),
});

export const TeamSearchQuery = z.strictObject({
  ...pageFields,
  order_by: textOf(z.enum(['created_at', 'display_name', 'member_count'])).optional(),
  desc: flag.optional(),
  query: textUpTo(512).optional().meta({ description: 'An ID, or part of a name.' }),
});
export const TeamOverview = z
  .object({
    id: z.uuid(),
    display_name: z.string(),
    created_at_millis: z.number().int(),
    member_count: z.number().int(),
  })
  .meta({ id: 'TeamOverview', description: 'A team without its metadata and image.' });
export const TeamOverviewList = pagedListOf(TeamOverview).meta({ id: 'TeamOverviewList' });
export type TeamOverviewList = z.infer<typeof TeamOverviewList>;

const ownFields = { profile_image_url: imageUrl.nullable().optional(), client_metadata: metadata.optional() };
const serverFields = { client_read_only_metadata: metadata.optional(), server_metadata: metadata.optional() };

export const OwnNewTeam = z
  .strictObject({ display_name: name, ...ownFields, creator_user_id: userId.optional() })
  .meta({ id: 'OwnNewTeam', description: 'What a person may say of a new team.' });
export const NewTeam = z
  .strictObject({ display_name: name, ...ownFields, ...serverFields, creator_user_id: userId.optional() })
  .meta({ id: 'NewTeam' });
export type NewTeam = z.infer<typeof NewTeam>;

export const OwnTeamPatch = z
  .strictObject({ display_name: name.optional(), ...ownFields })
  .meta({ id: 'OwnTeamPatch' });
export const TeamPatch = z
  .strictObject({ display_name: name.optional(), ...ownFields, ...serverFields })
  .meta({ id: 'TeamPatch' });
export type TeamPatch = z.infer<typeof TeamPatch>;

export const MembershipView = z.object({ team_id: z.uuid(), user_id: z.uuid() }).meta({ id: 'TeamMembership' });

export const InviteToTeam = z.strictObject({ team_id: uuid, email, callback_url: url }).meta({ id: 'InviteToTeam' });
export const InvitedToTeam = z.object({ success: z.literal(true), id: z.uuid() }).meta({ id: 'InvitedToTeam' });
/** Invitations of a team, or those that a user received. */
export const InvitationsQuery = z
  .strictObject({ team_id: uuid.optional(), user_id: userId.optional(), ...pageFields })
  .superRefine(({ team_id, user_id }, check) => {
    if (team_id === undefined && user_id === undefined) {
      check.addIssue({ code: 'custom', path: ['team_id'], message: 'is required without user_id' });
    }
    if (team_id !== undefined && user_id !== undefined) {
      check.addIssue({ code: 'custom', path: ['user_id'], message: 'must not be combined with team_id' });
    }
  });
export const TeamOfInvitation = z.strictObject({ team_id: uuid });
export const RecipientOfInvitation = z.strictObject({ user_id: userId });
export const TeamInvitationView = z
  .object({
    id: z.uuid(),
    team_id: z.uuid(),
    team_display_name: z.string().optional(),
    recipient_email: z.string(),
    expires_at_millis: z.number().int(),
  })
  .meta({ id: 'TeamInvitation' });
export type TeamInvitationView = z.infer<typeof TeamInvitationView>;
export const TeamInvitationList = pagedListOf(TeamInvitationView).meta({ id: 'TeamInvitationList' });
export type TeamInvitationList = z.infer<typeof TeamInvitationList>;
export const InvitationDetails = z
  .object({ team_id: z.uuid(), team_display_name: z.string() })
  .meta({ id: 'TeamInvitationDetails' });

export const ProfilesQuery = z.strictObject({ team_id: uuid.optional(), user_id: userId.optional(), ...pageFields });
export const ProfilePatch = z
  .strictObject({ display_name: name.optional(), profile_image_url: imageUrl.nullable().optional() })
  .meta({ id: 'TeamMemberProfilePatch' });
