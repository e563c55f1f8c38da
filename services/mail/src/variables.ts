import type { EmailType } from '@gatebook/domain/email/events';
import type { Language } from '@gatebook/domain/email/languages';
import { projectRoles, roleName } from '@gatebook/domain/project/roles';
import type { Variables } from './template.ts';
import { textsOf } from './texts.ts';

/** Flags of a security notice; `yes` when the change happened. */
const changeFlags: readonly string[] = [
  'passwordChanged',
  'passwordRemoved',
  'secondFactorOn',
  'secondFactorOff',
  'passkeyAdded',
  'passkeyRemoved',
];

/** What happened to an endpoint; none of them while it is still enabled. */
const webhookFlags: readonly string[] = ['disabledAsFailing', 'disabledAsGone'];

/** The variables available in each type of email (protocol, projects §7). */
export const variableNames: Readonly<Record<EmailType, readonly string[]>> = {
  email_verification: ['projectDisplayName', 'userDisplayName', 'emailVerificationLink'],
  password_reset: ['projectDisplayName', 'userDisplayName', 'passwordResetLink'],
  magic_link: ['projectDisplayName', 'userDisplayName', 'magicLink', 'otp'],
  team_invitation: ['projectDisplayName', 'userDisplayName', 'teamDisplayName', 'teamInvitationLink'],
  sign_in_invitation: ['projectDisplayName', 'signInInvitationLink'],
  project_invitation: ['projectDisplayName', 'roleName', 'isTransfer', 'projectInvitationLink'],
  api_key_revoked: ['projectDisplayName', 'keyDescription', 'keyLastFour'],
  security_notice: [
    'projectDisplayName',
    'userDisplayName',
    'happenedAt',
    'reportLink',
    ...changeFlags,
    'addedEmail',
    'removedEmail',
    'newPrimaryEmail',
    'linkedProvider',
  ],
  new_device_sign_in: ['projectDisplayName', 'userDisplayName', 'happenedAt', 'reportLink', 'deviceName', 'ipAddress'],
  webhook_failing: ['projectDisplayName', 'userDisplayName', 'webhookHost', 'webhookLink', ...webhookFlags],
};

/** Sample values for previews. */
export function sampleVariables(type: EmailType): Variables {
  const samples: Record<string, string> = {
    projectDisplayName: 'Your project',
    userDisplayName: 'Ada',
    emailVerificationLink: 'https://example.com/handler/email-verification?code=sample',
    passwordResetLink: 'https://example.com/handler/password-reset?code=sample',
    magicLink: 'https://example.com/handler/magic-link-callback?code=sample',
    otp: 'A1B2C3',
    teamDisplayName: 'Your team',
    teamInvitationLink: 'https://example.com/handler/team-invitation?code=sample',
    signInInvitationLink: 'https://example.com/handler/sign-in',
    roleName: 'developer',
    projectInvitationLink: 'https://example.com/project-invitation?code=sample',
    keyDescription: 'Deployment',
    keyLastFour: '4f1c',
    happenedAt: '2026-03-02T14:05:00.000Z',
    reportLink: 'https://example.com/handler/report-activity?code=sample',
    passwordChanged: 'yes',
    deviceName: 'Firefox on Linux',
    ipAddress: '203.0.113.7',
    webhookHost: 'shop.example.com',
    webhookLink: 'https://example.com/projects/sample/webhooks',
  };
  return Object.fromEntries(variableNames[type].map((name) => [name, samples[name] ?? '']));
}

/** Variables whose values users choose and others receive. */
const nameVariables: readonly string[] = [
  'projectDisplayName',
  'userDisplayName',
  'teamDisplayName',
  'keyDescription',
  'addedEmail',
  'removedEmail',
  'newPrimaryEmail',
  'linkedProvider',
  'deviceName',
  'ipAddress',
  'webhookHost',
];
const maxNameLength = 80;
/** Invisible and non-breaking. Next to a dot, it keeps mail clients from detecting a domain. */
const wordJoiner = '\u2060';
/** Format, private-use, unassigned and surrogate characters. Joiners are handled by `looseJoiner`. */
const invisible = /[\p{Co}\p{Cn}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;
/** Scripts and emoji need joiners only directly after a letter, mark or emoji. */
const looseJoiner = /(?<!\p{L}|\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier})[\u200c\u200d]+/gu;
/** Characters that turn their neighbors into a domain, email address, scheme or network path, in all Unicode widths. */
const linking = /(?<=\S)[.\u2024\u3002\ufe52\uff0e\uff61@\ufe6b\uff20:\ufe13\ufe55\uff1a](?=\S)|[\\/](?=[\\/])/gu;

/** Variables that can be stored. Links and codes grant access; the rest can concern other people than the recipient. */
const storable: readonly string[] = [
  'projectDisplayName',
  'userDisplayName',
  'keyLastFour',
  'roleName',
  'isTransfer',
  'happenedAt',
  'deviceName',
  ...changeFlags,
  ...webhookFlags,
];

/**
 * Masks secrets and other people's data in the variables of an email, so that its subject can be stored and shown to
 * owners. What is stored is erased together with the recipient, so it must not concern anybody else.
 */
export function maskSecrets(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, storable.includes(name) || value === '' ? value : '***']),
  );
}

const isoTime = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Writes times and roles out in a language; the times in emails of former releases are in English. */
export function writeOut(variables: Variables, language: Language): Variables {
  const role = projectRoles.find((known) => roleName(known) === variables.roleName);
  const named = role === undefined ? variables : { ...variables, roleName: textsOf(language).roles[role] };
  const { happenedAt = '' } = named;
  if (!isoTime.test(happenedAt)) return named;
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  });
  return { ...named, happenedAt: `${format.format(new Date(happenedAt))} UTC` };
}

/** Makes the user-chosen values safe for mail clients that detect links. */
export function sanitizeVariables(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, nameVariables.includes(name) ? defuseName(value) : value]),
  );
}

/**
 * Keeps mail clients from turning a name into a link or address by inserting invisible joiners; other names are
 * unchanged. Removes control and bidirectional characters and truncates to 80 characters, not counting joiners.
 */
export function defuseName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(invisible, '')
    .replace(looseJoiner, '')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...plain];
  const short = characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : plain;
  return short.replace(linking, (character) => wordJoiner + character + wordJoiner);
}
