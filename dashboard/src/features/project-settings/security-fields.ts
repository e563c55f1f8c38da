import type { ProjectSettings, QuotaName } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import type { Fields } from '../../components/drafts/use-draft.ts';

type SwitchName = 'keylessClientsAllowed' | LoginName | PasswordName;
type LoginName = 'reauthenticationRequired' | 'securityNoticesEnabled';
type PasswordName = 'breachedPasswordsRejected' | 'emailVerificationRequired';
type LengthName = 'minPasswordLength';
type LifetimeName = 'sessionLifetimeHours' | 'accessTokenLifetimeSeconds';
type DaysName = 'rejectionRetentionDays' | 'userDeletionGraceDays' | 'teamDeletionGraceDays';
/** null: the field is empty. */
export type SecurityValues = Record<SwitchName, boolean> &
  Record<LengthName | LifetimeName | DaysName | QuotaName, number | null>;

export type SwitchField = { name: SwitchName; label: string; description: string };

export const loginFields: readonly SwitchField[] = [
  {
    name: 'reauthenticationRequired',
    label: t`Require a recent sign-in for sensitive changes`,
    description: t`Users must have signed in within the last 10 minutes to change their email addresses, password or two-factor authentication, to export their data or to delete their account. Apps that don’t use Gatebook’s client library must handle the error themselves.`,
  },
  {
    name: 'securityNoticesEnabled',
    label: t`Security notices`,
    description: t`Email users when their password, two-factor authentication, passkey, email addresses or connected accounts change, and when they sign in from a new device.`,
  },
  {
    name: 'keylessClientsAllowed',
    label: t`Clients without a publishable key`,
    description: t`Apps need only the project ID. A publishable key is public, so it protects no data; requiring it lets you revoke access of an app.`,
  },
];

export const passwordFields: readonly SwitchField[] = [
  {
    name: 'breachedPasswordsRejected',
    label: t`Reject breached passwords`,
    description: t`Users cannot choose a password from a list of common and breached passwords.`,
  },
  {
    name: 'emailVerificationRequired',
    label: t`Require a verified email address`,
    description: t`Users without a verified primary email address are restricted until they verify it: apps treat them as signed out, and their API keys do not work. This applies to existing users immediately.`,
  },
];

export const lengthField = {
  name: 'minPasswordLength',
  label: t`Minimum password length`,
  description: t`8 to 64 characters. Applies to passwords that users choose from now on; existing passwords keep working. The sign-in pages show it. Your server can set any password.`,
  min: 8,
  max: 64,
} as const;

type LifetimeField = { name: LifetimeName; label: string; description: string; min: number; max: number };
export const lifetimeFields: readonly LifetimeField[] = [
  {
    name: 'sessionLifetimeHours',
    label: t`Session lifetime in hours`,
    description: t`1 to 8,760 hours (a year). After that, users must sign in again. Applies to sessions that start from now on; existing sessions keep their end. Your server can ask for shorter sessions, not for longer ones.`,
    min: 1,
    max: 8_760,
  },
  {
    name: 'accessTokenLifetimeSeconds',
    label: t`Access token lifetime in seconds`,
    description: t`61 to 3,600 seconds. Apps refresh access tokens by themselves. An app that verifies tokens without asking Gatebook notices the end of a session only when the token expires. Leave the field empty to use the default of this installation, which is 600 unless GATEBOOK_ACCESS_TOKEN_SECONDS is set.`,
    min: 61,
    max: 3_600,
  },
];

type DaysField = { name: DaysName; label: string; description: string; min: number; max: number };
export const dayFields: readonly DaysField[] = [
  {
    name: 'userDeletionGraceDays',
    label: t`Days until deleted users are erased`,
    description: t`Until then, they can’t sign in, nobody sees them, their email addresses stay taken, and you can restore them. 0 erases them at once. Applies to users who are deleted from now on.`,
    min: 0,
    max: 90,
  },
  {
    name: 'teamDeletionGraceDays',
    label: t`Days until deleted teams are erased`,
    description: t`Until then, nobody sees them, their API keys don’t work, and you can restore them with their members, permissions and API keys. 0 erases them at once. Applies to teams that are deleted from now on.`,
    min: 0,
    max: 90,
  },
  {
    name: 'rejectionRetentionDays',
    label: t`Days to keep failed sign-ins`,
    description: t`Failed sign-ins and other rejected requests are counted in windows of five minutes and deleted after 1 to 365 days.`,
    min: 1,
    max: 365,
  },
];

type QuotaField = { name: QuotaName; label: string };
export const ownerQuota: QuotaField = { name: 'projectsPerOwner', label: t`Projects per owner` };
export const quotaFields: readonly QuotaField[] = [
  { name: 'teamsPerUser', label: t`Teams created per user` },
  { name: 'membershipsPerUser', label: t`Teams joined per user` },
  { name: 'apiKeysPerUser', label: t`API keys per user` },
  { name: 'apiKeysPerTeam', label: t`API keys per team` },
  { name: 'contactChannelsPerUser', label: t`Email addresses per user` },
  { name: 'providerAccountsPerUser', label: t`Connected accounts per user` },
  { name: 'sessionsPerUser', label: t`Sessions per user` },
  { name: 'projectKeys', label: t`Project keys` },
  { name: 'domains', label: t`Trusted domains` },
  { name: 'permissionDefinitions', label: t`Permission definitions` },
  { name: 'webhookEndpoints', label: t`Webhook endpoints` },
  ownerQuota,
];
export const isQuota = (name: string): boolean => quotaFields.some((quota) => quota.name === name);

/** Days of a grace period or a retention, which a draft has as null while the field is empty. */
export const daysFault = (value: number | null): string | null => (value === null ? t`Enter a number of days` : null);
export const daysText = (value: number | null): string =>
  value === null ? t`… days` : plural(value, { one: '# day', other: '# days' });

const lengthFault = (value: number | null): string | null => (value === null ? t`Enter a number of characters` : null);
const lengthText = (value: number | null): string =>
  value === null ? t`… characters` : plural(value, { one: '# character', other: '# characters' });

const hoursFault = (value: number | null): string | null => (value === null ? t`Enter a number of hours` : null);
const hoursText = (value: number | null): string =>
  value === null ? t`… hours` : plural(value, { one: '# hour', other: '# hours' });
const secondsText = (value: number | null): string =>
  value === null ? t`default` : plural(value, { one: '# second', other: '# seconds' });

export const fields = Object.fromEntries([
  ...[...loginFields, ...passwordFields].map(({ name, label }) => [name, { label }]),
  [lengthField.name, { label: lengthField.label, fault: lengthFault, text: lengthText }],
  ...lifetimeFields.map(({ name, label }) => [
    name,
    name === 'sessionLifetimeHours' ? { label, fault: hoursFault, text: hoursText } : { label, text: secondsText },
  ]),
  ...dayFields.map(({ name, label }) => [name, { label, fault: daysFault, text: daysText }]),
  ...quotaFields.map(({ name, label }) => [
    name,
    { label, text: (value: number | null) => (value === null ? t`default` : String(value)) },
  ]),
]) as Fields<SecurityValues>;

export function toValues({ quotas, ...settings }: ProjectSettings): SecurityValues {
  const { anonymousSignUpEnabled: _anonymous, projectDeletionGraceDays: _project, branding: _, ...values } = settings;
  return { ...values, ...quotas };
}
