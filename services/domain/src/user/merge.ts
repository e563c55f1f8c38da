import { hasExpired } from '../api-key/decide.ts';
import type { ApiKey } from '../api-key/state.ts';
import type { AuditedUser } from '../audit/user-fields.ts';
import { reject } from '../errors.ts';
import type { MembershipCommand } from '../membership/decide.ts';
import type { Member, MembershipState } from '../membership/state.ts';
import type { UserCommand } from './decide.ts';
import { isSameEmail } from './email.ts';
import type { UserEvent } from './events.ts';
import { signInEmails } from './sign-in-emails.ts';
import { anonymousName } from './sign-in-methods.ts';
import { type ActiveUser, type Channel, findOwnerRevocation, primaryChannel } from './state.ts';

type Json = Extract<UserEvent, { type: 'UserMetadataChanged' }>['data']['value'];
type Profile = AuditedUser['profile'];
export type MergingUser = { user: ActiveUser; profile: Profile };
/** A team of the duplicate. `kept`: the membership of the user who stays. */
export type MergingTeam = { teamId: string; duplicate: Member; kept: MembershipState };

export type Merge = {
  kept: MergingUser;
  duplicate: MergingUser;
  teams: readonly MergingTeam[];
  /** API keys of the duplicate. */
  apiKeys: readonly ApiKey[];
  /** ID for the address that gets the channel with this ID. */
  newChannelId: (channelId: string) => string;
  at: string;
};

export const mergeItemKinds = [
  'display_name',
  'profile_image',
  'client_metadata',
  'client_read_only_metadata',
  'server_metadata',
  'country_code',
  'risk_scores',
  'email',
  'primary_email',
  'password',
  'email_code',
  'second_factor',
  'passkey',
  'connected_account',
  'api_key',
  'project_permission',
  'team',
  'team_profile',
  'team_permission',
  'selected_team',
  'unsubscribed_category',
  'restriction',
  'sessions',
] as const;
export type MergeItemKind = (typeof mergeItemKinds)[number];
/**
 * - `kept_one_stays`: the user already has one, and only one is allowed.
 * - `already_there`: the user has the same.
 * - `not_usable`: revoked or expired.
 * - `ends`: ends with the deletion of the duplicate.
 */
export const mergeDropReasons = ['kept_one_stays', 'already_there', 'not_usable', 'ends'] as const;
export type MergeDropReason = (typeof mergeDropReasons)[number];

/**
 * Something of the duplicate. `name` says which where there can be several: an address, a key of metadata, a provider,
 * the ID of a team or API key, the key of a permission.
 */
export type MergeItem = { kind: MergeItemKind; name: string | null; teamId: string | null };
export type MergeSummary = {
  moved: readonly MergeItem[];
  dropped: readonly (MergeItem & { reason: MergeDropReason })[];
};

/** What leads from two users to one, in the order of the appends (docs/decisions/0127). */
export type MergePlan = {
  /** On the user who stays. */
  commands: readonly UserCommand[];
  memberships: readonly { teamId: string; commands: readonly MembershipCommand[] }[];
  /** Unique values whose reservations pass to the user who stays. */
  reservations: { emails: readonly string[]; passkey: string | null; accountRefs: readonly string[] };
  apiKeyIds: readonly string[];
  summary: MergeSummary;
};

type Outcome = 'moved' | MergeDropReason;
type Part = { item: MergeItem; outcome: Outcome };
type UserPart = Part & { commands: readonly UserCommand[] };

/**
 * Decides what the user who stays gets from a duplicate: everything that the user does not have. Where both have a
 * value and there can be only one, that of the user who stays remains. Decided again after a part of it, it decides
 * the rest.
 * @throws DomainError USER_MERGE_WITH_ITSELF
 */
export function planMerge(merge: Merge): MergePlan {
  const { kept, duplicate, at } = merge;
  if (kept.user.userId === duplicate.user.userId) return reject('USER_MERGE_WITH_ITSELF');
  const parts = [...profileParts(merge), ...channelParts(merge), ...signInParts(merge), ...accessParts(merge)];
  const teams = merge.teams.map((team) => ({ teamId: team.teamId, parts: teamParts(team, kept.user.userId, at) }));
  const keys = merge.apiKeys.map((key) => ({ keyId: key.keyId, part: apiKeyPart(key, duplicate.user, at) }));
  const sessions: Part = { item: item('sessions'), outcome: 'ends' };
  const all = [...parts, ...teams.flatMap((team) => team.parts), ...keys.map(({ part }) => part), sessions];
  return {
    commands: [
      { type: 'RecordMerge', mergedUserId: duplicate.user.userId, at },
      ...upgrade(merge),
      ...parts.flatMap(({ commands }) => commands),
    ],
    memberships: teams
      .map(({ teamId, parts: found }) => ({ teamId, commands: found.flatMap(({ commands }) => commands) }))
      .filter(({ commands }) => commands.length > 0),
    reservations: reservationsOf(merge),
    apiKeyIds: keys.filter(({ part }) => part.outcome === 'moved').map(({ keyId }) => keyId),
    summary: summarize(all),
  };
}

const item = (kind: MergeItemKind, name: string | null = null, teamId: string | null = null): MergeItem => {
  return { kind, name, teamId };
};
const moved = (found: MergeItem, ...commands: UserCommand[]): UserPart => ({ item: found, outcome: 'moved', commands });
const dropped = (found: MergeItem, outcome: MergeDropReason): UserPart => ({ item: found, outcome, commands: [] });

function summarize(parts: readonly Part[]): MergeSummary {
  return {
    moved: parts.flatMap((part) => (part.outcome === 'moved' ? [part.item] : [])),
    dropped: parts.flatMap(({ item: found, outcome }) => (outcome === 'moved' ? [] : [{ ...found, reason: outcome }])),
  };
}

/** Who signed up once does not become anonymous. */
function upgrade({ kept, duplicate, at }: Merge): UserCommand[] {
  if (!kept.user.isAnonymous || duplicate.user.isAnonymous) return [];
  return [{ type: 'UpgradeUser', method: 'server', email: null, passwordHash: null, isOtpEnabled: false, at }];
}

/** One value, of which the user who stays has at most one. null: has none. */
function single<Value>(
  kind: MergeItemKind,
  { kept, duplicate }: { kept: Value | null; duplicate: Value | null },
  toCommand: (value: Value) => UserCommand,
): UserPart[] {
  if (duplicate === null) return [];
  if (kept === null) return [moved(item(kind), toCommand(duplicate))];
  return [dropped(item(kind), isSameJson(kept, duplicate) ? 'already_there' : 'kept_one_stays')];
}

const isSameJson = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const nameOf = ({ user }: MergingUser) =>
  user.displayName === '' || (user.isAnonymous && user.displayName === anonymousName) ? null : user.displayName;

function profileParts({ kept, duplicate, at }: Merge): UserPart[] {
  const [own, other] = [kept.profile, duplicate.profile];
  return [
    ...single('display_name', { kept: nameOf(kept), duplicate: nameOf(duplicate) }, (displayName) => {
      return { type: 'RenameUser', displayName, at };
    }),
    ...single('profile_image', { kept: own.profileImageUrl, duplicate: other.profileImageUrl }, (profileImageUrl) => ({
      type: 'ChangeUserImage',
      profileImageUrl,
      at,
    })),
    ...(['client', 'client_read_only', 'server'] as const).flatMap((scope) =>
      metadataParts(scope, own.metadata[scope] as Json, other.metadata[scope] as Json, at),
    ),
    ...single('country_code', { kept: own.countryCode, duplicate: other.countryCode }, (countryCode) => {
      return { type: 'ChangeCountryCode', countryCode, at };
    }),
    ...single('risk_scores', { kept: own.riskScores, duplicate: other.riskScores }, (riskScores) => {
      return { type: 'ChangeRiskScores', riskScores, at };
    }),
  ];
}

type Scope = keyof Profile['metadata'];
type Tree = { [key: string]: Json };
const isTree = (value: Json): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects are merged by their first level of keys, everything else as a whole. */
function metadataParts(scope: Scope, kept: Json, duplicate: Json, at: string): UserPart[] {
  const kind = `${scope}_metadata` as const;
  const change = (value: Json): UserCommand => ({ type: 'ChangeUserMetadata', scope, value, at });
  if (!isTree(duplicate)) return single(kind, { kept, duplicate }, change);
  if (kept !== null && !isTree(kept)) return [dropped(item(kind), 'kept_one_stays')];
  const own = kept ?? {};
  const entries = Object.entries(duplicate);
  const added = entries.filter(([key]) => !Object.hasOwn(own, key));
  const parts = entries.map(([key, value]): UserPart => {
    if (!Object.hasOwn(own, key)) return moved(item(kind, key));
    return dropped(item(kind, key), isSameJson(own[key], value) ? 'already_there' : 'kept_one_stays');
  });
  const [first, ...rest] = parts;
  if (!first || added.length === 0) return parts;
  // One change of all keys, with the first of them.
  const value = Object.fromEntries([...Object.entries(own), ...added]);
  return [{ ...first, commands: [change(value)] }, ...rest];
}

/** A verified address stays verified. The primary one stays primary only if the user who stays has none. */
function channelParts(merge: Merge): UserPart[] {
  const { kept, duplicate } = merge;
  const hasPrimary = primaryChannel(kept.user) !== undefined;
  return duplicate.user.channels.flatMap((channel) => {
    const { value } = channel;
    if (value === null) return [];
    const own = kept.user.channels.find((one) => isSameEmail(one.value, value));
    const part = own ? sameAddress(own, channel, merge.at) : newAddress(channel, value, hasPrimary, merge);
    const losesPrimary = channel.isPrimary && hasPrimary && !own?.isPrimary;
    return losesPrimary ? [part, dropped(item('primary_email', value), 'kept_one_stays')] : [part];
  });
}

function newAddress(channel: Channel, value: string, hasPrimary: boolean, { newChannelId, at }: Merge): UserPart {
  const { id, isVerified, isProven, usedForAuth, isPrimary } = channel;
  const added = { channelId: newChannelId(id), value, isPrimary: isPrimary && !hasPrimary, usedForAuth };
  // The person who opened the link may not control the account (docs/decisions/0021).
  const isByLinkAlone = isVerified && !isProven;
  return moved(
    item('email', value),
    { type: 'AddChannel', ...added, isVerified: isVerified && isProven, at },
    ...(isByLinkAlone ? [{ type: 'VerifyEmail', email: value, session: 'unavailable', at } as const] : []),
  );
}

function sameAddress(own: Channel, channel: Channel, at: string): UserPart {
  const commands: UserCommand[] = [];
  const channelId = own.id;
  if (channel.usedForAuth && !own.usedForAuth)
    commands.push({ type: 'ChangeChannel', channelId, usedForAuth: true, at });
  if (channel.isVerified && !own.isVerified && own.value !== null) {
    commands.push(
      channel.isProven
        ? { type: 'ChangeChannel', channelId, isVerified: true, at }
        : { type: 'VerifyEmail', email: own.value, session: 'unavailable', at },
    );
  }
  const found = item('email', channel.value);
  return commands.length > 0 ? moved(found, ...commands) : dropped(found, 'already_there');
}

function signInParts({ kept, duplicate, at }: Merge): UserPart[] {
  const [own, other] = [kept.user, duplicate.user];
  // An unknown hash stays unknown.
  const passwordHash = other.hasPassword ? other.passwordHash : null;
  const parts: UserPart[] = [];
  if (passwordHash !== null) {
    const password = item('password');
    parts.push(
      own.hasPassword
        ? dropped(password, own.passwordHash === passwordHash ? 'already_there' : 'kept_one_stays')
        : moved(password, { type: 'SetPassword', passwordHash, at }),
    );
  }
  if (other.isOtpEnabled && !own.isOtpEnabled) parts.push(moved(item('email_code'), { type: 'AllowSignInCode', at }));
  const secrets = { kept: own.totp?.secret ?? null, duplicate: other.totp?.secret ?? null };
  // Else the methods that move would sign in without it.
  parts.push(...single('second_factor', secrets, (secret) => ({ type: 'ChangeTotpSecret', secret, at })));
  parts.push(
    ...single('passkey', { kept: own.passkey, duplicate: other.passkey }, (passkey) => {
      return { type: 'RegisterPasskey', passkey, at };
    }),
  );
  for (const { accountId, ...account } of other.oauthAccounts) {
    const found = item('connected_account', account.provider);
    const isOwn = own.oauthAccounts.some(({ accountRef }) => accountRef === account.accountRef);
    if (isOwn) parts.push(dropped(found, 'already_there'));
    else if (accountId !== null) {
      parts.push(moved(found, { type: 'LinkOAuthAccount', ...account, accountId, isOnlyOne: false, at }));
    }
  }
  return parts;
}

function accessParts({ kept, duplicate, teams, at }: Merge): UserPart[] {
  const [own, other] = [kept.user, duplicate.user];
  const { adminRestriction: restriction, selectedTeamId } = other;
  const permissions = [...other.permissions].map((permissionKey): UserPart => {
    const found = item('project_permission', permissionKey);
    if (own.permissions.has(permissionKey)) return dropped(found, 'already_there');
    return moved(found, { type: 'GrantProjectPermission', permissionKey, at });
  });
  const categories = [...other.disabledCategories].map((category): UserPart => {
    const found = item('unsubscribed_category', category);
    if (own.disabledCategories.has(category)) return dropped(found, 'already_there');
    return moved(found, { type: 'ChangeNotificationPreference', category, isEnabled: false, at });
  });
  const selected = teams.some(({ teamId }) => teamId === selectedTeamId) ? selectedTeamId : null;
  return [
    ...permissions,
    ...categories,
    ...single('selected_team', { kept: own.selectedTeamId, duplicate: selected }, (teamId) => {
      return { type: 'SelectTeam', teamId, at };
    }),
    // Comes last, because it ends the sessions. A merge must not lift it.
    ...single('restriction', { kept: own.adminRestriction, duplicate: restriction }, (texts) => {
      return { type: 'ChangeAdminRestriction', isRestricted: true, ...texts, at };
    }),
  ];
}

type TeamPart = Part & { commands: readonly MembershipCommand[] };

function teamParts({ teamId, duplicate, kept }: MergingTeam, userId: string, at: string): TeamPart[] {
  const keys = [...duplicate.permissions];
  const ofTeam = (kind: MergeItemKind, name: string | null = null) => item(kind, name, teamId);
  if (kept.status === 'none') {
    const { projectId, profile } = duplicate;
    const added: MembershipCommand = {
      ...{ type: 'AddMember', teamId, userId, projectId, permissionKeys: keys, how: 'added', at },
    };
    return [
      { item: ofTeam('team'), outcome: 'moved', commands: [added] },
      ...keys.map((key): TeamPart => ({ item: ofTeam('team_permission', key), outcome: 'moved', commands: [] })),
      ...teamProfilePart(ofTeam('team_profile'), { kept: noProfile, duplicate: profile }, at),
    ];
  }
  const { permissions, profile } = kept;
  return [
    { item: ofTeam('team'), outcome: 'already_there', commands: [] },
    ...keys.map((permissionKey): TeamPart => {
      const found = ofTeam('team_permission', permissionKey);
      if (permissions.has(permissionKey)) return { item: found, outcome: 'already_there', commands: [] };
      return { item: found, outcome: 'moved', commands: [{ type: 'GrantPermission', permissionKey, at }] };
    }),
    ...teamProfilePart(ofTeam('team_profile'), { kept: profile, duplicate: duplicate.profile }, at),
  ];
}

const noProfile: Member['profile'] = { displayName: null, profileImageUrl: null };

/** Name and image are filled in one by one. */
function teamProfilePart(
  found: MergeItem,
  { kept, duplicate }: { kept: Member['profile']; duplicate: Member['profile'] },
  at: string,
): TeamPart[] {
  if (isSameJson(duplicate, noProfile)) return [];
  const displayName = kept.displayName ?? duplicate.displayName;
  const profileImageUrl = kept.profileImageUrl ?? duplicate.profileImageUrl;
  if (displayName === kept.displayName && profileImageUrl === kept.profileImageUrl) {
    const outcome = isSameJson(kept, duplicate) ? 'already_there' : 'kept_one_stays';
    return [{ item: found, outcome, commands: [] }];
  }
  return [{ item: found, outcome: 'moved', commands: [{ type: 'ChangeProfile', displayName, profileImageUrl, at }] }];
}

function apiKeyPart(key: ApiKey, owner: ActiveUser, at: string): Part {
  const isUsable = key.revokedAt === null && findOwnerRevocation(owner, key) === null && !hasExpired(key, at);
  return { item: item('api_key', key.keyId), outcome: isUsable ? 'moved' : 'not_usable' };
}

/** Values that the user who stays has after the merge, also those that an earlier part of it gave them. */
function reservationsOf({ kept, duplicate }: Merge): MergePlan['reservations'] {
  const passkey = duplicate.user.passkey?.credentialId ?? null;
  const own = kept.user.passkey?.credentialId ?? passkey;
  return {
    emails: [...signInEmails(duplicate.user).values()],
    passkey: own === passkey ? passkey : null,
    accountRefs: duplicate.user.oauthAccounts.map(({ accountRef }) => accountRef),
  };
}
