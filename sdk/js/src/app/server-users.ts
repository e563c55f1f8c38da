import type { ServerTeamView } from '@gatebook/contract/teams';
import type { ServerUserView } from '@gatebook/contract/users';
import type { KnownError } from '../errors.ts';
import { fromWire, toWire } from './fields.ts';
import { notOffered } from './not-offered.ts';
import { withHooks } from './reads.ts';
import { errorOf, type Result, toResult } from './result.ts';
import type {
  ListTeamsOptions,
  ScopedPermission,
  ServerContext,
  ServerTeam,
  ServerUser,
  ServerUserFields,
  ServerUserUpdateOptions,
} from './server-objects.ts';
import { listTeamsOf } from './server-teams.ts';
import { customerOfUser, teamOf, userFields, userMethods } from './users.ts';

export function toServerUser(context: ServerContext, view: ServerUserView): ServerUser {
  const { send, cache } = context;
  const { id } = view;
  const methods = userMethods({ context, userId: id, link: cannotLink });
  const update: (options: ServerUserUpdateOptions) => Promise<void> = methods.update;
  const listTeams = listTeamsOf(context, id);
  const changePermission = async (method: 'POST' | 'DELETE', permission: ScopedPermission): Promise<void> => {
    const [permissionId, team] = permission.length === 1 ? permission : [permission[1], permission[0]];
    const path = team === undefined ? `/project-permissions` : `/team-permissions/${team.id}`;
    await send(method, `${path}/${id}/${encodeURIComponent(permissionId)}`, {});
    await cache.refresh('/team-permissions', '/project-permissions');
  };
  return withHooks(context, {
    ...serverUserFields(view),
    ...methods,
    ...customerOfUser(context, id),
    ...notOffered('grantProduct'),
    update,
    selectedTeam: view.selected_team && context.toTeam(view.selected_team),
    setPrimaryEmail: (primaryEmail, options) =>
      update({ primaryEmail, ...(options?.verified !== undefined && { primaryEmailVerified: options.verified }) }),
    setServerMetadata: (serverMetadata) => update({ serverMetadata }),
    setClientReadOnlyMetadata: (clientReadOnlyMetadata) => update({ clientReadOnlyMetadata }),
    setPassword: ({ password }) => errorOf(update({ password }), 'PASSWORD_REQUIREMENTS_NOT_MET'),
    updatePassword: async (): Promise<KnownError | undefined> => {
      throw new Error('Users change their own passwords in their sessions. On a server, use setPassword.');
    },
    sendVerificationEmail: async (options) => {
      const primary = (await methods.listContactChannels()).find(({ isPrimary }) => isPrimary);
      if (!primary) throw new Error('The user has no primary email.');
      return errorOf(primary.sendVerificationEmail(options), 'EMAIL_ALREADY_VERIFIED');
    },
    registerPasskey: (options): Promise<Result> =>
      toResult(
        context
          .registerPasskey(id, options)
          .then(() => cache.refresh('/users'))
          .then(() => undefined),
        'PASSKEY_REGISTRATION_FAILED',
        'PASSKEY_WEBAUTHN_ERROR',
      ),
    delete: async () => {
      await send('DELETE', `/users/${id}`, {});
      await cache.refresh('/users');
    },
    createSession: async (options) => {
      const tokens = await startSession(context, id, options);
      return { getTokens: async () => tokens };
    },
    grantPermission: (...permission) => changePermission('POST', permission),
    revokePermission: (...permission) => changePermission('DELETE', permission),
    listTeams,
    getTeam: teamOf<[options?: ListTeamsOptions], ServerTeam>(listTeams),
    createTeam: async (options) => {
      const created = await send<ServerTeamView>('POST', '/teams', { ...toWire(options), creator_user_id: id });
      await cache.refresh('/teams');
      await methods.setSelectedTeam(created.id);
      return context.toTeam(created);
    },
  });
}

export async function startSession(
  { send }: Pick<ServerContext, 'send'>,
  userId: string,
  options: { expiresInMillis?: number; isImpersonation?: boolean; impersonationReason?: string } = {},
): Promise<{ accessToken: string; refreshToken: string }> {
  const view = await send<{ access_token: string; refresh_token: string }>(
    'POST',
    '/auth/sessions',
    toWire({ ...options, userId }),
  );
  return fromWire(view);
}

async function cannotLink(): Promise<never> {
  throw new Error('Users link accounts themselves, in a browser.');
}

function serverUserFields(view: ServerUserView): ServerUserFields {
  const fields = fromWire(view);
  return {
    ...userFields(view),
    primaryEmailAuthEnabled: fields.primaryEmailAuthEnabled,
    lastActiveAt: fields.lastActiveAt,
    serverMetadata: fields.serverMetadata,
    restrictedByAdmin: fields.restrictedByAdmin ?? false,
    restrictedByAdminReason: fields.restrictedByAdminReason ?? null,
    restrictedByAdminPrivateDetails: fields.restrictedByAdminPrivateDetails ?? null,
    countryCode: fields.countryCode ?? null,
    riskScores: fields.riskScores ?? { signUp: { bot: 0, freeTrialAbuse: 0 } },
  };
}
