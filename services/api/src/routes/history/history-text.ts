import { providerNames } from '@gatebook/domain/project/provider-names';

type Details = Readonly<Record<string, unknown>>;

const methods: Readonly<Record<string, string>> = {
  password: 'by password',
  otp: 'by e-mail code',
  oauth: 'through a provider',
  passkey: 'by passkey',
  anonymous: 'anonymously',
  server: 'by a server',
  setup: 'by the set-up link',
  cli: 'from the command line',
};
const howOf = ({ method }: Details) => methods[String(method)] ?? '';
/** Erased values are not shown. */
const named = (value: unknown) => (typeof value === 'string' && value !== '' ? ` ${value}` : '');

const passwordTexts: Readonly<Record<string, string>> = {
  sign_up: 'Chose a password',
  set: 'Set a password',
  update: 'Changed the password',
  reset: 'Reset the password',
  server: 'A server set the password',
  rehash: 'The password was hashed anew with stronger parameters',
};
const sessionEndReasons: Readonly<Record<string, string>> = {
  password_update: 'because the password was changed',
  password_reset: 'because the password was reset',
  password_by_server: 'because a server set the password',
  password_removed: 'because a server removed the password',
  upgrade: 'because the anonymous user signed up',
  address_proven: 'because the email address was verified for the first time',
  activity_report: 'because the user reported activity that was not theirs',
};
const metadataNames: Readonly<Record<string, string>> = {
  client: 'client metadata',
  client_read_only: 'read-only client metadata',
  server: 'server metadata',
};

const joiningTexts: Readonly<Record<string, string>> = {
  created: 'Created',
  sign_up: 'Got as their own, at sign-up,',
  added: 'Was added to',
  invited: 'Accepted the invitation to',
};
/** A deleted team has no name. */
const teamOf = ({ team }: Details) =>
  typeof team === 'string' ? `the team${named(team) || ' without a name'}` : 'a team';

/** Nor does a permission with a deleted definition. */
const permissionOf = (permission: unknown) =>
  named(permission) ? `the permission${named(permission)}` : 'a permission';

const texts: Readonly<Record<string, (details: Details) => string>> = {
  UserCreated: (details) =>
    details.method === 'server'
      ? 'Was created by a server'
      : `Signed up ${howOf(details)}${details.isAnonymous ? ' as an anonymous user' : ''}`.trimEnd(),
  UserRenamed: ({ displayName }) =>
    displayName === null ? 'Display name was removed' : `Display name became${named(displayName)}`,
  UserImageChanged: ({ hasImage }) => (hasImage ? 'Profile image was changed' : 'Profile image was removed'),
  UserMetadataChanged: ({ scope }) => `The ${metadataNames[String(scope)] ?? 'metadata'} changed`,
  ContactChannelAdded: ({ value, isPrimary, isVerified, usedForAuth }) => {
    const marks = [isPrimary && 'primary', isVerified && 'verified', usedForAuth && 'used for sign-in'].filter(Boolean);
    return `E-mail address${named(value)} was added${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`;
  },
  ContactChannelValueChanged: ({ value, isVerified }) =>
    `E-mail address became${named(value)}${isVerified ? ' (verified)' : ''}`,
  ContactChannelVerificationChanged: ({ value, isVerified }) =>
    `E-mail address${named(value)} ${isVerified ? 'was verified' : 'is no longer verified'}`,
  ContactChannelProven: ({ value }) => `Email address${named(value)} was verified`,
  ContactChannelAuthChanged: ({ value, usedForAuth }) =>
    `E-mail address${named(value)} can ${usedForAuth ? 'be' : 'no longer be'} used for sign-in`,
  PrimaryChannelChanged: ({ value, hasPrimary }) =>
    hasPrimary ? `E-mail address${named(value)} became the primary one` : 'No e-mail address is primary any more',
  ContactChannelRemoved: ({ value }) => `E-mail address${named(value)} was removed`,
  UserPasswordSet: ({ origin }) => passwordTexts[String(origin)] ?? 'The password was set',
  PasswordResetRequested: () => 'A password reset email was requested',
  UserPasswordRemoved: () => 'The password was removed',
  UserSessionsEnded: ({ reason, keptOne }) =>
    `${keptOne ? 'All other sessions' : 'All sessions'} ended ${sessionEndReasons[String(reason)] ?? ''}`.trimEnd(),
  OtpAuthChanged: ({ isEnabled }) =>
    isEnabled ? 'Sign-in by e-mail code was switched on' : 'Sign-in by e-mail code was switched off',
  UserUpgraded: (details) =>
    details.method === 'server' ? 'A server made this a normal user' : `Signed up ${howOf(details)}, keeping the id`,
  TotpSecretChanged: ({ isEnabled }) =>
    isEnabled ? 'Two-factor authentication was switched on' : 'Two-factor authentication was switched off',
  TotpUsed: () => 'Gave the code of the second factor',
  TotpRejected: () => 'Gave a wrong code of the second factor',
  PasskeyRegistered: () => 'Registered a passkey',
  PasskeyUsed: () => 'Used the passkey',
  PasskeyRemoved: () => 'The passkey was removed',
  OAuthAccountLinked: ({ provider, email }) =>
    `The account${named(email)} at ${providerNames[String(provider)] ?? 'a provider'} was connected`,
  OAuthAccountUnlinked: ({ provider }) =>
    `The account at ${providerNames[String(provider)] ?? 'a provider'} was disconnected`,
  UserApiKeysRevoked: () => 'All API keys were revoked',
  UserExported: () => 'All that is kept about the user was exported',
  ProjectPermissionGranted: ({ permission }) => `Was granted ${permissionOf(permission)}`,
  ProjectPermissionRevoked: ({ permission }) => `Lost ${permissionOf(permission)}`,
  TeamSelected: (details) => (details.teamId === null ? 'Selected no team any more' : `Selected ${teamOf(details)}`),
  TeamMemberAdded: (details) => `${joiningTexts[String(details.how)] ?? 'Became a member of'} ${teamOf(details)}`,
  TeamMemberRemoved: (details) => `${details.how === 'left' ? 'Left' : 'Was removed from'} ${teamOf(details)}`,
  TeamProfileChanged: (details) => `The name or image in ${teamOf(details)} was changed`,
  TeamPermissionGranted: (details) => `Was granted ${permissionOf(details.permission)} in ${teamOf(details)}`,
  TeamPermissionRevoked: (details) => `Lost ${permissionOf(details.permission)} in ${teamOf(details)}`,
  TeamPermissionUsed: (details) =>
    details.permission === '$remove_members'
      ? `Removed another member of ${teamOf(details)}`
      : `Used ${permissionOf(details.permission)} in ${teamOf(details)}`,
  UserDeleted: () => 'Was deleted, and personal facts were erased',
  UserErased: () => 'The erasure of personal data was completed',
  SessionStarted: (details) => {
    const what = details.isImpersonation ? 'An impersonation session was started' : sessionText(details);
    return `${what}${details.ip ? ` from${named(details.ip)}` : ''}`;
  },
  SessionEnded: ({ reason }) => sessionEndTexts[String(reason)] ?? 'A session was revoked',
};

const sessionEndTexts: Readonly<Record<string, string>> = {
  sign_out: 'Signed out',
  quota: 'The session unused for longest ended: too many sessions',
  code_replayed: 'A session was revoked because its authorization code was used twice',
};

const sessionText = (details: Details) =>
  details.method === 'server' ? 'A session was started by a server' : `Signed in ${howOf(details)}`.trimEnd();

/** One event of a user in plain words. `details` is null once the user's personal facts are erased. */
export function historyText(type: string, details: Details | null): string {
  return texts[type]?.(details ?? {}) ?? type;
}

/** Event types with a specific text. */
export const historyTypes: readonly string[] = Object.keys(texts);
