import type { EmailType } from '@gatebook/domain/email/events';
import type { Variables } from './template.ts';

/** Each is `yes` where a security notice tells of that change. */
const changeFlags: readonly string[] = [
  ...['passwordChanged', 'passwordRemoved', 'secondFactorOn', 'secondFactorOff', 'passkeyAdded', 'passkeyRemoved'],
];

/** Variables that a template may use, by the kind of mail (protocol, projects §7). */
export const variableNames: Readonly<Record<EmailType, readonly string[]>> = {
  email_verification: ['projectDisplayName', 'userDisplayName', 'emailVerificationLink'],
  password_reset: ['projectDisplayName', 'userDisplayName', 'passwordResetLink'],
  magic_link: ['projectDisplayName', 'userDisplayName', 'magicLink', 'otp'],
  team_invitation: ['projectDisplayName', 'userDisplayName', 'teamDisplayName', 'teamInvitationLink'],
  api_key_revoked: ['projectDisplayName', 'keyDescription', 'keyLastFour'],
  security_notice: [
    ...['projectDisplayName', 'userDisplayName', 'happenedAt', 'reportLink'],
    ...changeFlags,
    ...['addedEmail', 'removedEmail', 'newPrimaryEmail', 'linkedProvider'],
  ],
  new_device_sign_in: ['projectDisplayName', 'userDisplayName', 'happenedAt', 'reportLink', 'deviceName', 'ipAddress'],
};

/** Values to show a template with. */
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
    keyDescription: 'Deployment',
    keyLastFour: '4f1c',
    happenedAt: '2 March 2026, 14:05 UTC',
    reportLink: 'https://example.com/handler/report-activity?code=sample',
    passwordChanged: 'yes',
    deviceName: 'Firefox on Linux',
    ipAddress: '203.0.113.7',
  };
  return Object.fromEntries(variableNames[type].map((name) => [name, samples[name] ?? '']));
}

/** Names are chosen by people and sent to others. */
const nameVariables: readonly string[] = [
  ...['projectDisplayName', 'userDisplayName', 'teamDisplayName', 'keyDescription'],
  ...['addedEmail', 'removedEmail', 'newPrimaryEmail', 'linkedProvider', 'deviceName', 'ipAddress'],
];
const maxNameLength = 80;
/** Shows nothing and allows no line break: next to a dot, mail programs then see no domain. */
const wordJoiner = '\u2060';
/** Controls, formats (of direction, soft hyphens, tags), private use, unassigned, halves of pairs; joiners have a rule of their own. */
const invisible = /[\p{Co}\p{Cn}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;
/** Some scripts and emoji need joiners, but only after a sign. */
const looseJoiner = /(?<!\p{L}|\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier})[\u200c\u200d]+/gu;
/** What makes a domain, an address, a scheme or a network path of its neighbours, in all its widths. */
const linking = /(?<=\S)[.\u2024\u3002\ufe52\uff0e\uff61@\ufe6b\uff20:\ufe13\ufe55\uff1a](?=\S)|[\\/](?=[\\/])/gu;

/** Links and codes open an account, or join a team, for whoever has them; other names tell of others than the recipient. */
const keepable: readonly string[] = [
  ...['projectDisplayName', 'userDisplayName', 'keyLastFour', 'happenedAt', 'deviceName'],
  ...changeFlags,
];

/**
 * The variables of a mail for those who may know that it was sent, but not what it lets its recipient do. What is kept is erased with
 * its recipient, so that it tells of nobody else.
 */
export function withoutSecrets(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, keepable.includes(name) || value === '' ? value : '***']),
  );
}

/** The variables of a mail with names that can't carry links. */
export function safeVariables(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, nameVariables.includes(name) ? defused(value) : value]),
  );
}

/**
 * A name that no mail program turns into a link or an address: what could be read as one is broken by joiners that show nothing,
 * other names stay as they are. Control characters and those that turn the direction of writing are dropped; 80 characters
 * at most, joiners aside.
 */
export function defused(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(invisible, '')
    .replace(looseJoiner, '')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...plain];
  const short = characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : plain;
  return short.replace(linking, (sign) => wordJoiner + sign + wordJoiner);
}
