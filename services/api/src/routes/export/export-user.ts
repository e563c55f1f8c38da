import { recordExport } from '@gatebook/commands/user/export-user';
import { UserExport } from '@gatebook/contract/export';
import { findUserActivity, listKeyUses } from '@gatebook/readmodel/activity/queries';
import { listApiKeys } from '@gatebook/readmodel/api-keys/queries';
import { listEmailsTo } from '@gatebook/readmodel/emails/queries';
import { listProjectGrants, listTeamGrants } from '@gatebook/readmodel/permissions/queries';
import { listSessions } from '@gatebook/readmodel/sessions/queries';
import { listProfiles, listTeams } from '@gatebook/readmodel/teams/queries';
import { listContactChannels } from '@gatebook/readmodel/users/channels';
import { findUser, type UserRow } from '@gatebook/readmodel/users/queries';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { AuditedRead, defineRoute } from '../../http/define-route.ts';
import { tailOf, toKeyView } from '../api-keys/wire.ts';
import { seeAuditEvents } from '../audit/wait.ts';
import { toChannelView } from '../contact-channels/wire.ts';
import { type HistoryRow, listUserHistory } from '../history/user-history-rows.ts';
import { pathUserId, userIdOf } from '../path-user.ts';
import { groupByHolder, listHeldPermissionIds } from '../permissions/held-permissions.ts';
import { toSessionView } from '../sessions/wire.ts';
import { toProfileView } from '../teams/member-profiles.ts';
import { toTeamView } from '../teams/wire.ts';
import { toClientUserView, toRiskScoresView, toServerUserView } from '../users/wire.ts';
import { toExportedEntry } from './exported-entry.ts';

const historyPage = 500;

/** One user's data, for the user or for a server. The export is recorded in the user's history. */
export const exportUserRoute = defineRoute({
  method: 'GET',
  path: '/users/:user_id/export',
  isAudited: true,
  access: clientAndUp,
  role: 'support',
  session: 'recent',
  limit: 'export',
  errors: [...actOnUserErrors, 'USER_NOT_FOUND'],
  tags: ['Users'],
  summary: 'Export a user’s data',
  description:
    'One file with everything that is stored about a user. Client access exports the signed-in user, servers any user of the project. The file contains no passwords, codes, keys or tokens, and no names or addresses of other people. The export is recorded in the user’s history.',
  params: z.strictObject({ user_id: pathUserId }),
  response: { 200: UserExport },
  handle: async ({ deps, request, reply, caller, context, params }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const { position } = await recordExport(deps, context, { userId });
    reply.header('content-disposition', `attachment; filename="user-${userId}.json"`);
    return new AuditedRead(position, async () => {
      await seeAuditEvents(deps, reply, caller.projectId);
      return gather(deps, request, caller, userId);
    });
  },
});

async function gather(deps: Deps, request: FastifyRequest, caller: Caller, userId: string): Promise<UserExport> {
  const { db } = deps;
  const { projectId } = caller;
  const { permissions } = caller.project;
  const filter = { teamId: null, userId };
  const [
    user,
    channels,
    sessions,
    activity,
    keyUses,
    teams,
    profiles,
    teamGrants,
    projectGrants,
    keys,
    emails,
    history,
  ] = await Promise.all([
    findUser(db, projectId, userId),
    listContactChannels(db, projectId, { userId, channelId: null }),
    // The history shows impersonations. Their addresses are personal data of others.
    listSessions(db, projectId, userId, { withImpersonation: false }),
    findUserActivity(db, projectId, userId),
    listKeyUses(deps.db, projectId, userId),
    listTeams(db, projectId, { userId, isDescending: false, query: null }),
    listProfiles(db, projectId, filter),
    listTeamGrants(db, projectId, filter),
    listProjectGrants(db, projectId, userId),
    listApiKeys(db, projectId, { ownerType: 'user', ownerId: userId }),
    listEmailsTo(db, projectId, userId),
    wholeHistory(deps, { projectId, userId, permissions }),
  ]);
  const direct = { permissionId: undefined, isRecursive: false };
  return {
    exported_at_millis: Date.parse(deps.now()),
    user: toExportedUser(request, caller, user),
    owned_project_ids: user.ownedProjectIds ?? [],
    contact_channels: channels.rows.map(toChannelView),
    sessions: sessions.rows.map((session) => toSessionView(session, caller.token?.sessionId ?? null)),
    activity: {
      ...activity,
      api_keys: keyUses.map(({ keyId, lastUsedAt }) => ({ id: keyId, last_used_at_millis: lastUsedAt })),
    },
    teams: teams.rows.map((team) => toTeamView(caller, team)),
    team_member_profiles: profiles.rows.map((profile) => toProfileView(request, caller, profile)),
    team_permissions: groupByHolder(teamGrants.rows, ({ teamId }) => teamId).flatMap(({ holder, grants }) =>
      listHeldPermissionIds(permissions, grants, direct).map((id) => ({ id, user_id: userId, team_id: holder.teamId })),
    ),
    project_permissions: listHeldPermissionIds(permissions, projectGrants.rows, direct).map((id) => ({
      id,
      user_id: userId,
    })),
    api_keys: keys.rows.map((key) => toKeyView(key, tailOf(key))),
    emails: emails.map(({ type, recipient, subject, at, error }) => {
      return { type, to: recipient, subject, at_millis: at, was_accepted: error === null };
    }),
    history: history.map((row) => toExportedEntry(row, userId, permissions)),
  };
}

function toExportedUser(request: FastifyRequest, { accessType }: Caller, user: UserRow): UserExport['user'] {
  if (accessType !== 'client') return toServerUserView(request, user);
  return {
    ...toClientUserView(request, user),
    primary_email_auth_enabled: user.primaryEmailAuthEnabled,
    last_active_at_millis: user.lastActiveAt ?? user.signedUpAt,
    restricted_by_admin_reason: user.restrictedByAdminReason,
    country_code: user.countryCode,
    risk_scores: toRiskScoresView(user),
  };
}

async function wholeHistory(deps: Deps, person: Parameters<typeof listUserHistory>[1]): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  let after: Parameters<typeof listUserHistory>[2]['after'] = null;
  do {
    const page = await listUserHistory(deps, person, { after, limit: historyPage });
    rows.push(...page.items);
    after = page.next;
  } while (after !== null);
  return rows;
}
