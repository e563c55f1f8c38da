import { z } from 'zod';
import { TeamApiKeyView, UserApiKeyView } from './api-keys.ts';
import { ContactChannelView } from './contact-channels.ts';
import { HistoryItem } from './history.ts';
import { ProjectPermissionView, TeamPermissionView } from './permissions.ts';
import { SessionView } from './sessions.ts';
import { TeamView } from './teams.ts';
import { ClientUserView, ProfileView, ServerUserView } from './users.ts';

const ExportedEmail = z.object({
  type: z.string().nullable(),
  to: z.string().nullable(),
  subject: z.string().nullable(),
  at_millis: z.number().int(),
  was_accepted: z.boolean(),
});

/** All that is kept about one person; no secret, hash or token is in it. Lists are whole. */
export const UserExport = z
  .object({
    exported_at_millis: z.number().int(),
    user: z.union([ServerUserView, ClientUserView]),
    contact_channels: z.array(ContactChannelView),
    sessions: z.array(SessionView),
    teams: z.array(TeamView),
    team_member_profiles: z.array(ProfileView),
    team_permissions: z.array(TeamPermissionView),
    project_permissions: z.array(ProjectPermissionView),
    api_keys: z.array(z.union([UserApiKeyView, TeamApiKeyView])),
    emails: z.array(ExportedEmail),
    history: z.array(HistoryItem),
  })
  .meta({ id: 'UserExport' });
export type UserExport = z.infer<typeof UserExport>;
