import type { AuditedUser } from '@gatebook/domain/audit/user-fields';
import type { UserCommand } from '@gatebook/domain/user/decide';
import type { UserEvent } from '@gatebook/domain/user/events';
import { existingUser, primaryChannel } from '@gatebook/domain/user/state';
import { loadMember } from '../team/team-permissions.ts';
import { decideOnUser } from '../user/decide-on-user.ts';
import { loadExistingUser } from '../user/load-user.ts';
import { keyed, keysOnlyIn, type Restorable, requireDefined, requireGraceLeft } from './restorable.ts';
import { isSameValue } from './restore-values.ts';

type Json = Extract<UserEvent, { type: 'UserMetadataChanged' }>['data']['value'];
type Channel = { value: string | null; is_verified: boolean; used_for_auth: boolean };
type RiskScores = Extract<UserEvent, { type: 'UserRiskScoresChanged' }>['data']['riskScores'];
type Category = Extract<UserEvent, { type: 'NotificationPreferenceChanged' }>['data']['category'];

type UserValues = {
  display_name: string | null;
  profile_image_url: string | null;
  client_metadata: Json;
  client_read_only_metadata: Json;
  server_metadata: Json;
  country_code: string | null;
  risk_scores: RiskScores;
  restricted_by_admin: { reason: string | null; private_details: string | null } | null;
  otp_auth_enabled: boolean;
  permissions: Record<string, true>;
  selected_team_id: string | null;
  disabled_notifications: Record<string, true>;
  contact_channels: Record<string, Channel>;
  primary_contact_channel_id: string | null;
  scheduled_deletion: { erased_at: string; deleted_by_user: boolean } | null;
};

export const restorableUser: Restorable<AuditedUser, UserValues> = {
  valuesOf: ({ user: state, profile }) => {
    const user = existingUser(state);
    if (user === null) return null;
    const { adminRestriction: restriction } = user;
    const channels = user.channels.map(({ id, value, isVerified, usedForAuth }) => {
      return [id, { value, is_verified: isVerified, used_for_auth: usedForAuth }] as const;
    });
    return {
      display_name: user.displayName,
      profile_image_url: profile.profileImageUrl,
      client_metadata: profile.metadata.client as Json,
      client_read_only_metadata: profile.metadata.client_read_only as Json,
      server_metadata: profile.metadata.server as Json,
      country_code: profile.countryCode,
      risk_scores: profile.riskScores,
      restricted_by_admin: restriction && { reason: restriction.reason, private_details: restriction.privateDetails },
      otp_auth_enabled: user.isOtpEnabled,
      permissions: keyed(user.permissions),
      selected_team_id: user.selectedTeamId,
      disabled_notifications: keyed(user.disabledCategories),
      contact_channels: Object.fromEntries(channels),
      primary_contact_channel_id: primaryChannel(user)?.id ?? null,
      scheduled_deletion:
        state.status === 'awaiting_deletion' ? { erased_at: state.deleteAt, deleted_by_user: state.isByUser } : null,
    };
  },
  restore: async (work, userId, { from, to }, { project, at }) => {
    if (from.scheduled_deletion !== null && to.scheduled_deletion === null) {
      (await loadExistingUser(work, userId)).decide({ type: 'RestoreUser', at });
    }
    const commands = [
      ...profileCommands(from, to, at),
      ...channelCommands(from, to, at),
      ...accessCommands(from, to, { isMethodOn: project.config.magicLinkEnabled, at }),
      ...deletionCommands(from, to, at),
    ];
    if (to.selected_team_id !== null && to.selected_team_id !== from.selected_team_id) {
      await loadMember(work, to.selected_team_id, userId);
    }
    requireDefined(keysOnlyIn(to.permissions, from.permissions), project.permissions);
    if (commands.length > 0) await decideOnUser(work, { userId, commands, at });
  },
};

function profileCommands(from: UserValues, to: UserValues, at: string): UserCommand[] {
  const differs = (name: keyof UserValues) => !isSameValue(from[name], to[name]);
  const scopes = [
    ['client', 'client_metadata'],
    ['client_read_only', 'client_read_only_metadata'],
    ['server', 'server_metadata'],
  ] as const;
  return [
    ...when(differs('display_name'), { type: 'RenameUser', displayName: to.display_name, at }),
    ...when(differs('profile_image_url'), { type: 'ChangeUserImage', profileImageUrl: to.profile_image_url, at }),
    ...scopes.flatMap(([scope, name]) =>
      when(differs(name), { type: 'ChangeUserMetadata', scope, value: to[name], at }),
    ),
    ...when(differs('country_code'), { type: 'ChangeCountryCode', countryCode: to.country_code, at }),
    ...when(differs('risk_scores'), { type: 'ChangeRiskScores', riskScores: to.risk_scores, at }),
    ...when(differs('selected_team_id'), { type: 'SelectTeam', teamId: to.selected_team_id, at }),
  ];
}

/** Removes before it adds, because a user has each address once. */
function channelCommands(from: UserValues, to: UserValues, at: string): UserCommand[] {
  const [before, after] = [from.contact_channels, to.contact_channels];
  const removed = keysOnlyIn(before, after);
  const changed = Object.entries(after).flatMap(([channelId, channel]): UserCommand[] => {
    const old = before[channelId];
    if (old === undefined) {
      if (channel.value === null) return [];
      const { value, is_verified: isVerified, used_for_auth: usedForAuth } = channel;
      return [{ type: 'AddChannel', channelId, value, isPrimary: false, isVerified, usedForAuth, at }];
    }
    if (isSameValue(old, channel)) return [];
    const value = old.value === channel.value ? undefined : (channel.value ?? undefined);
    const flags = { isVerified: channel.is_verified, usedForAuth: channel.used_for_auth };
    return [{ type: 'ChangeChannel', channelId, value, ...flags, at }];
  });
  const { primary_contact_channel_id: primary } = to;
  const lost = from.primary_contact_channel_id;
  const isLostAnyway = lost !== null && removed.includes(lost);
  const primaryCommand: UserCommand[] =
    primary !== null
      ? when(primary !== lost, { type: 'ChangeChannel', channelId: primary, isPrimary: true, at })
      : lost === null || isLostAnyway
        ? []
        : [{ type: 'ChangeChannel', channelId: lost, isPrimary: false, at }];
  return [
    ...removed.map((channelId): UserCommand => ({ type: 'RemoveChannel', channelId, at })),
    ...changed,
    ...primaryCommand,
  ];
}

function accessCommands(
  from: UserValues,
  to: UserValues,
  { isMethodOn, at }: { isMethodOn: boolean; at: string },
): UserCommand[] {
  const restriction = to.restricted_by_admin;
  const revoked = keysOnlyIn(from.permissions, to.permissions);
  return [
    ...when(!isSameValue(from.restricted_by_admin, restriction), {
      type: 'ChangeAdminRestriction',
      isRestricted: restriction !== null,
      reason: restriction?.reason ?? null,
      privateDetails: restriction?.private_details ?? null,
      at,
    }),
    ...when(from.otp_auth_enabled !== to.otp_auth_enabled, {
      type: 'ChangeOtpAuth',
      isEnabled: to.otp_auth_enabled,
      isMethodOn,
      at,
    }),
    ...revoked.map((permissionKey): UserCommand => {
      return { type: 'RevokeProjectPermission', permissionKey, permissionId: permissionKey, at };
    }),
    ...keysOnlyIn(to.permissions, from.permissions).map((permissionKey): UserCommand => {
      return { type: 'GrantProjectPermission', permissionKey, at };
    }),
    ...[true, false].flatMap((isEnabled) => {
      const [one, other] = isEnabled ? [from, to] : [to, from];
      const categories = keysOnlyIn(one.disabled_notifications, other.disabled_notifications) as Category[];
      return categories.map((category): UserCommand => {
        return { type: 'ChangeNotificationPreference', category, isEnabled, at };
      });
    }),
  ];
}

/** Schedules a deletion again, for the same time. */
function deletionCommands(from: UserValues, { scheduled_deletion: deletion }: UserValues, at: string): UserCommand[] {
  if (deletion === null || isSameValue(from.scheduled_deletion, deletion)) return [];
  const graceDays = requireGraceLeft(deletion.erased_at, at);
  return [{ type: 'ScheduleDeletion', graceDays, isByUser: deletion.deleted_by_user, at }];
}

const when = (condition: boolean, command: UserCommand): UserCommand[] => (condition ? [command] : []);
