import type { EmailType } from '@gatebook/domain/email/events';
import { light } from './colors.ts';
import type { EmailBlock, EmailContent } from './content.ts';

export type EmailTemplate = { subject: string; content: EmailContent };

const muted = '#5b6478';

const heading = (text: string): EmailBlock => ({
  type: 'Heading',
  data: { props: { text, level: 'h2' }, style: { padding: { top: 28, bottom: 4, left: 32, right: 32 } } },
});
const paragraph = (text: string): EmailBlock => ({
  type: 'Text',
  data: { props: { text }, style: { fontSize: 16, padding: { top: 8, bottom: 8, left: 32, right: 32 } } },
});
/** A code to be typed, in a frame; its parts are named in `framedCode`. */
const codeFrame: EmailBlock = {
  type: 'Container',
  data: { props: { childrenIds: ['code-frame'] }, style: { padding: { top: 8, bottom: 8, left: 32, right: 32 } } },
};
const framedCode = (text: string): EmailContent => ({
  'code-frame': {
    type: 'Container',
    data: { props: { childrenIds: ['code'] }, style: { borderColor: light.line, borderRadius: 8 } },
  },
  code: {
    type: 'Heading',
    data: {
      props: { text, level: 'h1' },
      style: { fontFamily: 'MONOSPACE', textAlign: 'center', padding: { top: 16, bottom: 16, left: 8, right: 8 } },
    },
  },
});
const button = (text: string, url: string): EmailBlock => ({
  type: 'Button',
  data: {
    props: {
      text,
      url,
      buttonBackgroundColor: light.link,
      buttonTextColor: '#ffffff',
      buttonStyle: 'rounded',
      size: 'medium',
    },
    style: { fontWeight: 'bold', textAlign: 'left', padding: { top: 16, bottom: 16, left: 32, right: 32 } },
  },
});
const rule: EmailBlock = {
  type: 'Divider',
  data: {
    props: { lineColor: light.line, lineHeight: 1 },
    style: { padding: { top: 16, bottom: 8, left: 32, right: 32 } },
  },
};
const small = (text: string): EmailBlock => ({
  type: 'Text',
  data: {
    props: { text },
    style: { fontSize: 13, color: muted, padding: { top: 4, bottom: 28, left: 32, right: 32 } },
  },
});

function page(...blocks: EmailBlock[]): EmailContent {
  const entries = blocks.map((block, nth): [string, EmailBlock] => [`block-${nth + 1}`, block]);
  const root: EmailBlock = {
    type: 'EmailLayout',
    data: {
      backdropColor: light.backdrop,
      canvasColor: light.canvas,
      textColor: light.ink,
      fontFamily: 'MODERN_SANS',
      childrenIds: entries.map(([id]) => id),
    },
  };
  return { root, ...Object.fromEntries(entries) };
}

const hello = (rest: string) => `Hello{{#if userDisplayName}} {{ userDisplayName }}{{/if}}! ${rest}`;

/** The first that is there names the notice. */
const noticeSubjects: readonly (readonly [string, string])[] = [
  ['passwordChanged', 'Your password for {{ projectDisplayName }} was changed'],
  ['passwordRemoved', 'Your password for {{ projectDisplayName }} was removed'],
  ['secondFactorOff', 'Two-factor authentication was turned off for {{ projectDisplayName }}'],
  ['secondFactorOn', 'Two-factor authentication was turned on for {{ projectDisplayName }}'],
  ['newPrimaryEmail', 'Your email address for {{ projectDisplayName }} was changed'],
  ['addedEmail', 'An email address was added to your {{ projectDisplayName }} account'],
  ['passkeyAdded', 'A passkey was added to your {{ projectDisplayName }} account'],
];
const noticeSubject = noticeSubjects.reduceRight(
  (otherwise, [name, subject]) => `{{#if ${name}}}${subject}{{else}}${otherwise}{{/if}}`,
  'The sign-in methods of your {{ projectDisplayName }} account changed',
);

/** All that are there: one change of settings can change several things. */
const noticeSentences = [
  ['passwordChanged', 'Your password was changed.'],
  ['passwordRemoved', 'Your password was removed.'],
  ['secondFactorOn', 'Two-factor authentication was turned on.'],
  ['secondFactorOff', 'Two-factor authentication was turned off.'],
  ['passkeyAdded', 'A passkey was added.'],
  ['passkeyRemoved', 'A passkey was removed.'],
  ['addedEmail', 'The email address {{ addedEmail }} was added.'],
  ['removedEmail', 'The email address {{ removedEmail }} was removed.'],
  ['newPrimaryEmail', 'The primary email address is now {{ newPrimaryEmail }}.'],
  ['linkedProvider', 'A {{ linkedProvider }} account was connected, which can sign in.'],
].map(([name, sentence]) => `{{#if ${name}}}${sentence} {{/if}}`);

const reportBlocks = [
  paragraph('If this was you, you do not need to do anything. If it was not you, secure your account:'),
  button('This wasn’t me', '{{ reportLink }}'),
  rule,
  small(
    'The link works once, within seven days. It asks before it signs you out on every device and emails you a link to choose a new password.',
  ),
];

/** What mails say until an owner has them say something else. */
export const defaultTemplates: Readonly<Record<EmailType, EmailTemplate>> = {
  email_verification: {
    subject: 'Verify your e-mail address for {{ projectDisplayName }}',
    content: page(
      heading('Is this your e-mail address?'),
      paragraph(hello('Somebody, hopefully you, gave this address to **{{ projectDisplayName }}**.')),
      button('Verify this address', '{{ emailVerificationLink }}'),
      rule,
      small('The link works once, within seven days. If you did not ask for it, you may ignore this mail.'),
    ),
  },
  password_reset: {
    subject: 'Reset your password for {{ projectDisplayName }}',
    content: page(
      heading('Choose a new password'),
      paragraph(hello('Somebody, hopefully you, asked to reset your password for **{{ projectDisplayName }}**.')),
      button('Choose a new password', '{{ passwordResetLink }}'),
      rule,
      small(
        'The link works once, within seven days. If you did not ask for it, ignore this mail: your password stays as it is.',
      ),
    ),
  },
  magic_link: {
    subject: '{{ otp }} is your code to sign in to {{ projectDisplayName }}',
    content: {
      ...page(
        heading('Sign in to {{ projectDisplayName }}'),
        paragraph('Type this code where you asked for it:'),
        codeFrame,
        paragraph('Or open this link on the device where you want to be signed in:'),
        button('Sign in', '{{ magicLink }}'),
        rule,
        small('Code and link work once, within seven days. If you did not ask for them, you may ignore this mail.'),
      ),
      ...framedCode('{{ otp }}'),
    },
  },
  team_invitation: {
    subject: 'You are invited to join {{ teamDisplayName }}',
    content: page(
      heading('Join {{ teamDisplayName }}'),
      paragraph('You are invited to join the team **{{ teamDisplayName }}** at {{ projectDisplayName }}.'),
      button('See the invitation', '{{ teamInvitationLink }}'),
      rule,
      small('The link works once, within seven days. If you do not know this team, you may ignore this mail.'),
    ),
  },
  api_key_revoked: {
    subject: 'An API key of yours for {{ projectDisplayName }} was revoked',
    content: page(
      heading('Your API key was revoked'),
      paragraph(
        'The key {{#if keyDescription}}**{{ keyDescription }}** {{/if}}that ends in **{{ keyLastFour }}** was found where others can read it, so it does not work any more at {{ projectDisplayName }}.',
      ),
      paragraph('Create another key, and look at what was done with this one.'),
      rule,
      small('You get this mail because you may manage this key.'),
    ),
  },
  security_notice: {
    subject: noticeSubject,
    content: page(
      heading('Your account was changed'),
      paragraph(
        `On {{ happenedAt }}, your **{{ projectDisplayName }}** account was changed: ${noticeSentences.join('')}`,
      ),
      ...reportBlocks,
    ),
  },
  new_device_sign_in: {
    subject: 'New sign-in to your {{ projectDisplayName }} account',
    content: page(
      heading('New sign-in to your account'),
      paragraph(
        'On {{ happenedAt }}, somebody signed in to your **{{ projectDisplayName }}** account from a device that has not been used before{{#if deviceName}}: **{{ deviceName }}**{{/if}}{{#if ipAddress}}, IP address {{ ipAddress }}{{/if}}.',
      ),
      ...reportBlocks,
    ),
  },
};
