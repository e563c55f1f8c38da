import { z } from 'zod';
import { TeamApiKeyView, UserApiKeyView } from './api-keys.ts';
import { viewsByAccess } from './common.ts';
import { ContactChannelView } from './contact-channels.ts';
import { HistoryItem } from './history.ts';
import { ProjectPermissionView, TeamPermissionView } from './permissions.ts';
import { SessionView } from './sessions.ts';
import { TeamView } from './teams.ts';
import { ClientUserView, ProfileView, RiskScoresView, ServerUserView } from './users.ts';

/** The server view without server metadata, here and in the selected team. */
const ExportedOwnUser = ClientUserView.extend({
  primary_email_auth_enabled: z.boolean(),
  last_active_at_millis: z.number().int(),
  restricted_by_admin_reason: z.string().nullable(),
  country_code: z.string().nullable(),
  risk_scores: RiskScoresView,
}).meta({ id: 'ExportedOwnUser' });

const Activity = z.object({
  country: z.string().nullable().meta({ description: 'two letters (ISO 3166), of the last use whose place is known' }),
  language: z.string().nullable().meta({ description: 'of the last use that named one that emails exist in' }),
  days: z
    .array(z.iso.date())
    .meta({ description: 'UTC days with a sign of life, newest first; about a month is kept' }),
  api_keys: z
    .array(z.object({ id: z.uuid(), last_used_at_millis: z.number().int() }))
    .meta({ description: 'keys that were used' }),
});

const ExportedEmail = z.object({
  type: z.string().nullable(),
  to: z.string().nullable(),
  subject: z.string().nullable(),
  at_millis: z.number().int(),
  was_accepted: z.boolean(),
});

const ExportedEntry = HistoryItem.extend({
  ip: z.string().nullable().meta({ description: 'the address that the person acted from' }),
  user_agent: z.string().nullable().meta({ description: 'the browser that the person acted from' }),
  country: z.string().nullable().meta({ description: 'two letters (ISO 3166), of a sign-in or sign-up' }),
  client_version: z.string().nullable().meta({ description: 'the client library of a sign-in or sign-up' }),
}).meta({ id: 'ExportedHistoryItem' });

/** All data about one user, without secrets, hashes, tokens or names of others. Lists are complete. */
export const UserExport = z
  .object({
    exported_at_millis: z.number().int(),
    user: viewsByAccess(
      { server: ServerUserView, client: ExportedOwnUser },
      { description: 'with server metadata only where a server asks' },
    ),
    owned_project_ids: z.array(z.string()).meta({ description: 'of users of project `internal`' }),
    contact_channels: z.array(ContactChannelView),
    sessions: z.array(SessionView).meta({ description: 'that are open; the history tells of those before' }),
    activity: Activity,
    teams: z.array(TeamView),
    team_member_profiles: z.array(ProfileView),
    team_permissions: z.array(TeamPermissionView).meta({ description: 'as they were granted' }),
    project_permissions: z.array(ProjectPermissionView).meta({ description: 'as they were granted' }),
    api_keys: z.array(z.union([UserApiKeyView, TeamApiKeyView])).meta({ description: 'without their values' }),
    emails: z.array(ExportedEmail).meta({ description: 'every try to send a mail to the person, newest first' }),
    history: z
      .array(ExportedEntry)
      .meta({ description: 'newest first; others than the person are told by their kind alone' }),
  })
  .meta({ id: 'UserExport' });
export type UserExport = z.infer<typeof UserExport>;
export type ExportedEntry = z.infer<typeof ExportedEntry>;
