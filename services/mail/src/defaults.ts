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
/** A framed code; `framedCode` defines the blocks inside. */
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

const greeting = paragraph('Hi{{#if userDisplayName}} {{ userDisplayName }}{{/if}},');
const linkExpiry = 'This link can be used once and expires in 7 days.';

/** The subject names the first of these changes that happened. */
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

/** The body lists all changes: one command can change several things. */
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
  ['linkedProvider', 'A {{ linkedProvider }} account was connected and can be used to sign in.'],
].map(([name, sentence]) => `{{#if ${name}}}${sentence} {{/if}}`);

const reportBlocks = [
  paragraph('If this was you, no action is needed. If it wasn’t you, secure your account:'),
  button('This wasn’t me', '{{ reportLink }}'),
  rule,
  small(
    `${linkExpiry} After you confirm, it signs you out on all devices and emails you a link to choose a new password.`,
  ),
];

/** The templates that apply until an owner customizes them. */
export const defaultTemplates: Readonly<Record<EmailType, EmailTemplate>> = {
  email_verification: {
    subject: 'Verify your email address for {{ projectDisplayName }}',
    content: page(
      heading('Verify your email address'),
      greeting,
      paragraph('Please confirm that this email address belongs to your **{{ projectDisplayName }}** account.'),
      button('Verify email address', '{{ emailVerificationLink }}'),
      rule,
      small(`${linkExpiry} If you didn’t request this, you can ignore this email.`),
    ),
  },
  password_reset: {
    subject: 'Reset your password for {{ projectDisplayName }}',
    content: page(
      heading('Reset your password'),
      greeting,
      paragraph('We received a request to reset the password of your **{{ projectDisplayName }}** account.'),
      button('Reset password', '{{ passwordResetLink }}'),
      rule,
      small(`${linkExpiry} If you didn’t request this, you can ignore this email. Your password won’t change.`),
    ),
  },
  magic_link: {
    subject: '{{ otp }} is your sign-in code for {{ projectDisplayName }}',
    content: {
      ...page(
        heading('Sign in to {{ projectDisplayName }}'),
        paragraph('Enter this code on the sign-in page:'),
        codeFrame,
        paragraph('Or open this link on the device where you want to sign in:'),
        button('Sign in', '{{ magicLink }}'),
        rule,
        small(
          'Code and link can be used once and expire in 7 days. If you didn’t request them, you can ignore this email.',
        ),
      ),
      ...framedCode('{{ otp }}'),
    },
  },
  team_invitation: {
    subject: 'You’re invited to join {{ teamDisplayName }}',
    content: page(
      heading('Join {{ teamDisplayName }}'),
      paragraph('You’ve been invited to join the team **{{ teamDisplayName }}** on {{ projectDisplayName }}.'),
      button('View invitation', '{{ teamInvitationLink }}'),
      rule,
      small(`${linkExpiry} If you don’t know this team, you can ignore this email.`),
    ),
  },
  sign_in_invitation: {
    subject: 'You’re invited to {{ projectDisplayName }}',
    content: page(
      heading('Sign in to {{ projectDisplayName }}'),
      paragraph('You’ve been invited to **{{ projectDisplayName }}**. Sign in with this email address.'),
      button('Sign in', '{{ signInInvitationLink }}'),
      rule,
      small('If you don’t know {{ projectDisplayName }}, you can ignore this email.'),
    ),
  },
  project_invitation: {
    subject: 'You’re invited to administer {{ projectDisplayName }}',
    content: page(
      heading('Administer {{ projectDisplayName }}'),
      paragraph(
        'You’ve been invited to the project **{{ projectDisplayName }}** with the role **{{ roleName }}**.{{#if isTransfer}} When you accept, you take the project over from the person who invited you.{{/if}}',
      ),
      button('View invitation', '{{ projectInvitationLink }}'),
      rule,
      small(`${linkExpiry} If you don’t know this project, you can ignore this email.`),
    ),
  },
  api_key_revoked: {
    subject: 'Your API key for {{ projectDisplayName }} was revoked',
    content: page(
      heading('Your API key was revoked'),
      paragraph(
        'The API key {{#if keyDescription}}**{{ keyDescription }}** {{/if}}ending in **{{ keyLastFour }}** was exposed to others, so it was revoked and no longer works with {{ projectDisplayName }}.',
      ),
      paragraph('Create a new key, and check how this one was used.'),
      rule,
      small('You received this email because you can manage this API key.'),
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
  webhook_failing: {
    subject:
      '{{#if disabledAsFailing}}Webhooks of {{ projectDisplayName }} were disabled{{else}}{{#if disabledAsGone}}Webhooks of {{ projectDisplayName }} were disabled{{else}}Webhooks of {{ projectDisplayName }} are failing{{/if}}{{/if}}',
    content: page(
      heading('Webhooks to {{ webhookHost }}'),
      greeting,
      paragraph(
        '{{#if disabledAsFailing}}For five days, {{ webhookHost }} has not accepted any event of **{{ projectDisplayName }}**. Its webhook endpoint was disabled.{{else}}{{#if disabledAsGone}}{{ webhookHost }} answered that it no longer takes events of **{{ projectDisplayName }}** (status 410). Its webhook endpoint was disabled.{{else}}For a day, {{ webhookHost }} has not accepted any event of **{{ projectDisplayName }}**. After five days, its webhook endpoint will be disabled.{{/if}}{{/if}}',
      ),
      paragraph('No event is lost: the endpoint continues where it stopped, and you can send failed events again.'),
      button('View deliveries', '{{ webhookLink }}'),
    ),
  },
  new_device_sign_in: {
    subject: 'New sign-in to your {{ projectDisplayName }} account',
    content: page(
      heading('New sign-in to your account'),
      paragraph(
        'Your **{{ projectDisplayName }}** account was used to sign in from a new device on {{ happenedAt }}{{#if deviceName}}: **{{ deviceName }}**{{/if}}{{#if ipAddress}}, IP address {{ ipAddress }}{{/if}}.',
      ),
      ...reportBlocks,
    ),
  },
};
