import { providerNames } from '@gatebook/domain/project/provider-names';
import type { Details } from './history-details.ts';
import { shownText } from './shown-text.ts';

type HistoryText = (details: Details) => string;

const methods: Readonly<Record<string, string>> = {
  password: 'with a password',
  otp: 'with an email code',
  oauth: 'with an OAuth provider',
  passkey: 'with a passkey',
  anonymous: 'anonymously',
  server: 'by a server',
  setup: 'with the setup link',
  cli: 'from the CLI',
};
const howOf = ({ method }: Details) => methods[String(method)] ?? '';
const named = (value: unknown) => shownText(value, ' ');
const nameOfProvider = (id: unknown) => (typeof id === 'string' ? (providerNames[id] ?? id) : 'a provider');

const passwordTexts: Readonly<Record<string, string>> = {
  sign_up: 'Chose a password',
  set: 'Set a password',
  update: 'Changed the password',
  reset: 'Reset the password',
  server: 'The password was set',
  rehash: 'The password got a new hash, and stayed the same',
};
const sessionEndReasons: Readonly<Record<string, string>> = {
  password_update: 'because the password was changed',
  password_reset: 'because the password was reset',
  password_by_server: 'because the password was set',
  password_removed: 'because the password was removed',
  upgrade: 'because the anonymous user signed up',
  address_proven: 'because the email address was verified for the first time',
  activity_report: 'because the user reported activity that was not theirs',
  restriction: 'because an administrator restricted the user',
};
const metadataNames: Readonly<Record<string, string>> = {
  client: 'client metadata',
  client_read_only: 'read-only client metadata',
  server: 'server metadata',
};

const joiningTexts: Readonly<Record<string, string>> = {
  created: 'Created',
  sign_up: 'Got at sign-up, as a personal team,',
  added: 'Added to',
  invited: 'Accepted the invitation to',
};
/** A deleted team has no name. */
const teamOf = ({ team }: Details) =>
  typeof team === 'string' ? `the team${named(team) || ' without a name'}` : 'a team';

/** Nor does a permission with a deleted definition. */
const permissionOf = (permission: unknown) =>
  named(permission) ? `the permission${named(permission)}` : 'a permission';

export const englishHistoryTexts = {
  UserCreated: (details) =>
    details.method === 'server'
      ? 'Created the user'
      : `Signed up ${howOf(details)}${details.isAnonymous ? ' as an anonymous user' : ''}`.trimEnd(),
  UserRenamed: ({ displayName }) =>
    displayName === null
      ? 'Removed the display name'
      : `Changed the display name${named(displayName) && ` to${named(displayName)}`}`,
  UserImageChanged: ({ hasImage }) => (hasImage ? 'Changed the profile image' : 'Removed the profile image'),
  UserMetadataChanged: ({ scope }) => `Changed ${metadataNames[String(scope)] ?? 'metadata'}`,
  ContactChannelAdded: ({ value, isPrimary, isVerified, usedForAuth }) => {
    const marks = [isPrimary && 'primary', isVerified && 'verified', usedForAuth && 'used for sign-in'].filter(Boolean);
    return `Added email address${named(value)}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`;
  },
  ContactChannelValueChanged: ({ value, isVerified }) =>
    `Changed the email address${named(value) && ` to${named(value)}`}${isVerified ? ' (verified)' : ''}`,
  ContactChannelVerificationChanged: ({ value, isVerified }) =>
    `Email address${named(value)} ${isVerified ? 'was verified' : 'is no longer verified'}`,
  ContactChannelProven: ({ value }) => `Email address${named(value)} was verified`,
  ContactChannelAuthChanged: ({ value, usedForAuth }) =>
    `Email address${named(value)} can ${usedForAuth ? 'be' : 'no longer be'} used for sign-in`,
  PrimaryChannelChanged: ({ value, hasPrimary }) =>
    hasPrimary ? `Email address${named(value)} became the primary address` : 'No email address is primary now',
  ContactChannelRemoved: ({ value }) => `Removed email address${named(value)}`,
  UserPasswordSet: ({ origin }) => passwordTexts[String(origin)] ?? 'The password was set',
  PasswordResetRequested: () => 'A password reset email was requested',
  UserPasswordRemoved: () => 'The password was removed',
  UserSessionsEnded: ({ reason, keptOne }) =>
    `${keptOne ? 'All other sessions' : 'All sessions'} ended ${sessionEndReasons[String(reason)] ?? ''}`.trimEnd(),
  UserRestricted: ({ reason }) => `Restricted by an administrator${named(reason) && `:${named(reason)}`}`,
  UserRestrictionChanged: ({ reason }) => `The restriction was changed${named(reason) && `:${named(reason)}`}`,
  UserRestrictionLifted: () => 'The restriction was lifted',
  UserCountryCodeChanged: ({ countryCode }) =>
    countryCode === null
      ? 'Removed the country'
      : `Changed the country${named(countryCode) && ` to${named(countryCode)}`}`,
  UserRiskScoresChanged: () => 'The risk scores were changed',
  OtpAuthChanged: ({ isEnabled, isBySignIn }) => {
    if (isBySignIn) return 'Enabled sign-in with email codes by using one';
    return isEnabled ? 'Enabled sign-in with email codes' : 'Disabled sign-in with email codes';
  },
  UserUpgraded: (details) =>
    details.method === 'server' ? 'Became a regular user' : `Signed up${named(howOf(details))} and kept the user ID`,
  TotpSecretChanged: ({ isEnabled }) =>
    isEnabled ? 'Enabled two-factor authentication' : 'Disabled two-factor authentication',
  TotpUsed: () => 'Entered a valid second-factor code',
  TotpRejected: () => 'Entered a wrong second-factor code',
  SignInsThrottled: ({ failures, minutes }) =>
    failures === undefined || minutes === undefined
      ? 'Sign-ins were throttled after too many failures'
      : `Sign-ins were throttled after ${failures} failures within ${minutes} minutes`,
  PasskeyRegistered: () => 'Registered a passkey',
  PasskeyUsed: () => 'Used the passkey',
  PasskeyRemoved: () => 'Removed the passkey',
  OAuthAccountLinked: ({ provider, email }) => `Connected the account${named(email)} at ${nameOfProvider(provider)}`,
  OAuthAccountChanged: ({ provider, email, allowSignIn, allowConnectedAccounts }) =>
    `Changed the account${named(email)} at ${nameOfProvider(provider)}: sign-in ${allowSignIn ? 'on' : 'off'}, access tokens ${allowConnectedAccounts ? 'on' : 'off'}`,
  OAuthAccountUnlinked: ({ provider }) => `Disconnected the account at ${nameOfProvider(provider)}`,
  UserApiKeysRevoked: () => 'All API keys were revoked',
  NotificationPreferenceChanged: ({ category, isEnabled }) =>
    `Turned ${named(category).trimStart() || 'some'} emails ${isEnabled ? 'on' : 'off'}`,
  UserMerged: () => 'Got everything of another user, who was deleted',
  UserExported: () => 'Personal data was exported',
  ProjectPermissionGranted: ({ permission }) => `Granted ${permissionOf(permission)}`,
  ProjectPermissionRevoked: ({ permission }) => `Lost ${permissionOf(permission)}`,
  TeamSelected: (details) => (details.teamId === null ? 'Deselected the team' : `Selected ${teamOf(details)}`),
  TeamMemberAdded: (details) => `${joiningTexts[String(details.how)] ?? 'Became a member of'} ${teamOf(details)}`,
  TeamMemberRemoved: (details) => `${details.how === 'left' ? 'Left' : 'Removed from'} ${teamOf(details)}`,
  TeamProfileChanged: (details) => `Changed the profile in ${teamOf(details)}`,
  TeamPermissionGranted: (details) => `Granted ${permissionOf(details.permission)} in ${teamOf(details)}`,
  TeamPermissionRevoked: (details) => `Lost ${permissionOf(details.permission)} in ${teamOf(details)}`,
  TeamPermissionUsed: (details) =>
    details.permission === '$remove_members'
      ? `Removed another member of ${teamOf(details)}`
      : `Used ${permissionOf(details.permission)} in ${teamOf(details)}`,
  UserDeletionScheduled: ({ deleteAt }) =>
    `Deleted, can be restored${typeof deleteAt === 'string' ? ` until ${deleteAt.slice(0, 10)}` : ''}`,
  UserDeletionCanceled: () => 'Restored the user',
  UserDeleted: ({ mergedIntoId }) =>
    mergedIntoId === undefined
      ? 'Deleted, and personal data was erased'
      : 'Merged into another user and deleted, and personal data was erased',
  UserErased: () => 'The erasure of personal data was completed',
  SessionStarted: (details) => {
    const what = details.isImpersonation ? impersonationText(details) : sessionText(details);
    const why = details.impersonationReason;
    return `${what}${details.ip ? ` from${named(details.ip)}` : ''}${named(why) && `:${named(why)}`}`;
  },
  SessionEnded: ({ reason }) => sessionEndTexts[String(reason)] ?? 'A session was revoked',
} satisfies Readonly<Record<string, HistoryText>>;

export type HistoryTexts = Readonly<Record<keyof typeof englishHistoryTexts, HistoryText>>;

const sessionEndTexts: Readonly<Record<string, string>> = {
  sign_out: 'Signed out',
  quota: 'The least recently used session ended: too many sessions',
  code_replayed: 'A session was revoked because its authorization code was used twice',
};

const impersonationText = ({ minutes }: Details) =>
  `An impersonation session was started${typeof minutes === 'number' ? ` for ${minutes === 1 ? '1 minute' : `${minutes} minutes`}` : ''}`;

const sessionText = (details: Details) =>
  details.method === 'server' ? 'A session was started' : `Signed in ${howOf(details)}`.trimEnd();
