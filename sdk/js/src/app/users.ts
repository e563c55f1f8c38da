import type { SessionView } from '@gatebook/contract/sessions';
import type { ClientUserView } from '@gatebook/contract/users';
import type { KnownError } from '../errors.ts';
import type { Json } from '../json.ts';
import { type AccountOwner, accountsOf, type LinkAccount } from './accounts.ts';
import { type ApiKeyOwner, apiKeysOfUser, type UserApiKey, type UserApiKeyFirstView } from './api-keys.ts';
import type { Read } from './cache.ts';
import { type ContactChannelOwner, contactChannelsOf } from './contact-channels.ts';
import { type Customer, customerOf } from './customer.ts';
import { fromWire, queryOf, toWire } from './fields.ts';
import { type Context, fetchList, readList, selectFrom } from './reads.ts';
import type { Result } from './result.ts';
import {
  type EditableTeamMemberProfile,
  type ReceivedTeamInvitation,
  receivedInvitations,
  type TeamCreateOptions,
  teamProfileOf,
} from './teams.ts';

export type RestrictedReason = { type: 'restricted_by_administrator' | 'anonymous' | 'email_not_verified' };
/** What everyone sees of a user. */
export type User = {
  readonly id: string;
  readonly displayName: string | null;
  /** Several users can have the same address; use the ID to identify them. */
  readonly primaryEmail: string | null;
  readonly primaryEmailVerified: boolean;
  readonly profileImageUrl: string | null;
  readonly signedUpAt: Date;
  readonly clientMetadata: Json;
  readonly clientReadOnlyMetadata: Json;
  readonly hasPassword: boolean;
  readonly otpAuthEnabled: boolean;
  readonly passkeyAuthEnabled: boolean;
  readonly isMultiFactorRequired: boolean;
  readonly isAnonymous: boolean;
  /** Signed up, but not allowed to use the app yet. */
  readonly isRestricted: boolean;
  readonly restrictedReason: RestrictedReason | null;
  /** Deprecated: see `usedForAuth` of contact channels. */
  readonly emailAuthEnabled: boolean;
  /** Deprecated: see `listOAuthProviders`. */
  readonly oauthProviders: readonly { id: string }[];
  /** The user as the API returns it. */
  toClientJson(): ClientUserJson;
};
export type ClientUserJson = Readonly<Record<string, unknown>> & { id: string };

export type UserUpdateOptions = {
  displayName?: string | null;
  clientMetadata?: Json;
  selectedTeamId?: string | null;
  /** Null turns the second factor off. */
  totpMultiFactorSecret?: Uint8Array | null;
  profileImageUrl?: string | null;
  otpAuthEnabled?: boolean;
  passkeyAuthEnabled?: boolean;
  /** Must be a verified address of the user. */
  primaryEmail?: string | null;
};
export type ActiveSession = {
  id: string;
  userId: string;
  createdAt: Date;
  isImpersonation: boolean;
  lastUsedAt: Date | undefined;
  isCurrentSession: boolean;
  geoInfo?: GeoInfo;
};
export type GeoInfo = {
  ip: string;
  countryCode?: string | null;
  regionCode?: string | null;
  cityName?: string | null;
  latitude?: number | null;
  longitude?: number | null;
  tzIdentifier?: string | null;
};
export type NotificationCategory = {
  id: string;
  name: string;
  enabled: boolean;
  canDisable: boolean;
  setEnabled(enabled: boolean): Promise<void>;
};
export type TeamPermission = { id: string };
type Scope = { id: string };
type Recursive = { recursive?: boolean };
/** Permissions of a team or of the project. Contained ones count, unless `recursive` is false. */
export type PermissionHolder = {
  listPermissions: Read<[scope: Scope, options?: Recursive] | [options?: Recursive], TeamPermission[]>;
  getPermission: Read<[scope: Scope, permissionId: string] | [permissionId: string], TeamPermission | null>;
  hasPermission(...wanted: [scope: Scope, permissionId: string] | [permissionId: string]): Promise<boolean>;
};

/** What users of clients and servers share; the types of some objects differ. */
export type UserMethods<Team, Channel, ChannelOptions, UpdateOptions> = AccountOwner &
  ApiKeyOwner<UserApiKey, UserApiKeyFirstView> &
  ContactChannelOwner<Channel, ChannelOptions> &
  Customer &
  PermissionHolder & {
    readonly selectedTeam: Team | null;
    update(options: UpdateOptions): Promise<void>;
    setDisplayName(displayName: string | null): Promise<void>;
    setClientMetadata(metadata: Json): Promise<void>;
    setSelectedTeam(team: { id: string } | string | null): Promise<void>;
    delete(): Promise<void>;
    updatePassword(options: { oldPassword: string; newPassword: string }): Promise<KnownError | undefined>;
    setPassword(options: { password: string }): Promise<KnownError | undefined>;
    /** To the primary address. Outside a browser, pass the URL of the page that verifies addresses. */
    sendVerificationEmail(options?: { callbackUrl?: string }): Promise<KnownError | undefined>;
    registerPasskey(options?: { hostname?: string }): Promise<Result>;
    listNotificationCategories: Read<[], NotificationCategory[]>;
    createTeam(options: TeamCreateOptions): Promise<Team>;
    leaveTeam(team: { id: string }): Promise<void>;
    getTeamProfile: Read<[team: { id: string }], EditableTeamMemberProfile>;
    /** Invitations to the verified addresses of the user. */
    listTeamInvitations: Read<[], ReceivedTeamInvitation[]>;
    getActiveSessions(): Promise<ActiveSession[]>;
    revokeSession(sessionId: string): Promise<void>;
  };

export function userFields(view: ClientUserView): User {
  const { authWithEmail, requiresTotpMfa, selectedTeam, selectedTeamId, ...fields } = fromWire(view);
  const {
    isRestricted = false,
    restrictedReason = null,
    restrictedByAdmin,
    restrictedByAdminReason,
    ...known
  } = fields;
  return {
    ...known,
    isRestricted,
    restrictedReason,
    emailAuthEnabled: authWithEmail,
    isMultiFactorRequired: requiresTotpMfa,
    toClientJson: () => view,
  };
}

type Parts = {
  context: Context;
  /** `me` with client access. */
  userId: string;
  link: LinkAccount;
};

/** All that is the same with client and server access, except for the ID in the paths. */
export function userMethods({ context, userId, link }: Parts) {
  const { send, cache } = context;
  const path = `/users/${userId}`;
  const update = async ({ totpMultiFactorSecret: secret, ...options }: UserUpdateOptions): Promise<void> => {
    const totp_secret_base64 = secret && btoa(String.fromCharCode(...secret));
    await send('PATCH', path, { ...toWire(options), totp_secret_base64 });
    await cache.refresh('/users');
  };
  const setSelectedTeam = (team: { id: string } | string | null) =>
    update({ selectedTeamId: typeof team === 'object' ? (team?.id ?? null) : team });
  return {
    ...accountsOf(context, userId, link),
    ...apiKeysOfUser(context, userId),
    ...contactChannelsOf(context, userId),
    ...permissionsOf(context, userId),
    update,
    setSelectedTeam,
    setDisplayName: (displayName: string | null) => update({ displayName }),
    setClientMetadata: (clientMetadata: Json) => update({ clientMetadata }),
    listNotificationCategories: notificationsOf(context, userId),
    leaveTeam: async (team: { id: string }) => {
      await send('DELETE', `/team-memberships/${team.id}/${userId}`, {});
      await cache.refresh('/team', '/users');
    },
    getTeamProfile: teamProfileOf(context, userId),
    listTeamInvitations: receivedInvitations(context, userId),
    getActiveSessions: async () =>
      (await fetchList<SessionView>(send, `/auth/sessions${queryOf({ userId })}`)).map(toActiveSession),
    revokeSession: async (sessionId: string) => {
      await send('DELETE', `/auth/sessions/${sessionId}${queryOf({ userId })}`, {});
    },
  };
}

/** By the user's real ID: customers are not `me`. */
export const customerOfUser = (context: Context, id: string) => customerOf(context, 'user', id);

function toActiveSession(view: SessionView): ActiveSession {
  const { createdAt, lastUsedAt, lastUsedAtEndUserIpInfo: geoInfo, ...fields } = fromWire(view);
  return {
    ...fields,
    createdAt: new Date(createdAt),
    lastUsedAt: lastUsedAt === undefined ? undefined : new Date(lastUsedAt),
    ...(geoInfo && { geoInfo }),
  };
}

function permissionsOf(context: Context, userId: string): PermissionHolder {
  const listPermissions: PermissionHolder['listPermissions'] = readList(
    context,
    (...args: [scope: Scope, options?: Recursive] | [options?: Recursive]) => {
      const [scope, options] = isScope(args[0]) ? [args[0], args[1]] : [null, args[0]];
      const query = queryOf({ teamId: scope?.id, userId, recursive: options?.recursive ?? true });
      return `/${scope ? 'team' : 'project'}-permissions${query}`;
    },
    ({ id }: { id: string }): TeamPermission => ({ id }),
  );
  const getPermission = selectFrom(
    (...args: [scope: Scope, permissionId: string] | [permissionId: string]) =>
      isScope(args[0]) ? listPermissions.resource(args[0]) : listPermissions.resource(),
    (permissions, ...args) => permissions.find(({ id }) => id === args.at(-1)) ?? null,
  );
  return {
    listPermissions,
    getPermission,
    hasPermission: async (...wanted) => (await getPermission(...wanted)) !== null,
  };
}

const isScope = (value: unknown): value is Scope => typeof value === 'object' && value !== null && 'id' in value;

function notificationsOf(context: Context, userId: string): Read<[], NotificationCategory[]> {
  const path = `/emails/notification-preference/${userId}`;
  type View = {
    notification_category_id: string;
    notification_category_name: string;
    enabled: boolean;
    can_disable: boolean;
  };
  return readList(
    context,
    () => path,
    (view: View): NotificationCategory => {
      const { notificationCategoryId: id, notificationCategoryName: name, enabled, canDisable } = fromWire(view);
      return {
        ...{ id, name, enabled, canDisable },
        setEnabled: async (isEnabled) => {
          await context.send('PATCH', `${path}/${id}`, { enabled: isEnabled });
          await context.cache.refresh(path);
        },
      };
    },
  );
}

/** The teams of a user, and one of them by its ID. */
export const teamOf = <Args extends readonly unknown[], Team extends { id: string }>(
  listTeams: Read<Args | [], readonly Team[]>,
): Read<[id: string], Team | null> =>
  selectFrom(
    (_id: string) => listTeams.resource(...([] as [])),
    (teams, id) => teams.find((team) => team.id === id) ?? null,
  );
