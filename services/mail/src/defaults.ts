import type { EmailType } from '@gatebook/domain/email/events';
import type { Language } from '@gatebook/domain/email/languages';
import { light } from './colors.ts';
import type { EmailBlock, EmailContent } from './content.ts';
import { type EmailTexts, english } from './english.ts';
import { textsOf } from './texts.ts';

/** `language`: of the texts; absent: unknown, because an owner wrote them. */
export type EmailTemplate = { subject: string; content: EmailContent; language?: Language };

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

function buildTemplates(texts: EmailTexts): Readonly<Record<EmailType, EmailTemplate>> {
  const { email_verification, password_reset, magic_link, team_invitation, sign_in_invitation } = texts;
  const { project_invitation, webhook_failing } = texts;
  const { api_key_revoked, security_notice, new_device_sign_in, report } = texts;
  const greeting = paragraph(texts.greeting);
  const reportBlocks = [paragraph(report.text), button(report.button, '{{ reportLink }}'), rule, small(report.note)];
  return {
    email_verification: {
      subject: email_verification.subject,
      content: page(
        heading(email_verification.heading),
        greeting,
        paragraph(email_verification.text),
        button(email_verification.button, '{{ emailVerificationLink }}'),
        rule,
        small(email_verification.note),
      ),
    },
    password_reset: {
      subject: password_reset.subject,
      content: page(
        heading(password_reset.heading),
        greeting,
        paragraph(password_reset.text),
        button(password_reset.button, '{{ passwordResetLink }}'),
        rule,
        small(password_reset.note),
      ),
    },
    magic_link: {
      subject: magic_link.subject,
      content: {
        ...page(
          heading(magic_link.heading),
          paragraph(magic_link.code),
          codeFrame,
          paragraph(magic_link.link),
          button(magic_link.button, '{{ magicLink }}'),
          rule,
          small(magic_link.note),
        ),
        ...framedCode('{{ otp }}'),
      },
    },
    team_invitation: {
      subject: team_invitation.subject,
      content: page(
        heading(team_invitation.heading),
        paragraph(team_invitation.text),
        button(team_invitation.button, '{{ teamInvitationLink }}'),
        rule,
        small(team_invitation.note),
      ),
    },
    sign_in_invitation: {
      subject: sign_in_invitation.subject,
      content: page(
        heading(sign_in_invitation.heading),
        paragraph(sign_in_invitation.text),
        button(sign_in_invitation.button, '{{ signInInvitationLink }}'),
        rule,
        small(sign_in_invitation.note),
      ),
    },
    project_invitation: {
      subject: project_invitation.subject,
      content: page(
        heading(project_invitation.heading),
        paragraph(`${project_invitation.text}{{#if isTransfer}} ${project_invitation.transfer}{{/if}}`),
        button(project_invitation.button, '{{ projectInvitationLink }}'),
        rule,
        small(project_invitation.note),
      ),
    },
    webhook_failing: {
      subject: byWebhookState(
        webhook_failing.disabledSubject,
        webhook_failing.disabledSubject,
        webhook_failing.subject,
      ),
      content: page(
        heading(webhook_failing.heading),
        greeting,
        paragraph(
          byWebhookState(webhook_failing.disabledAsFailing, webhook_failing.disabledAsGone, webhook_failing.failing),
        ),
        paragraph(webhook_failing.note),
        button(webhook_failing.button, '{{ webhookLink }}'),
      ),
    },
    api_key_revoked: {
      subject: api_key_revoked.subject,
      content: page(
        heading(api_key_revoked.heading),
        paragraph(api_key_revoked.text),
        paragraph(api_key_revoked.advice),
        rule,
        small(api_key_revoked.note),
      ),
    },
    security_notice: {
      subject: noticeSubject(texts),
      content: page(
        heading(security_notice.heading),
        paragraph(`${security_notice.text} ${listChanges(texts)}`),
        ...reportBlocks,
      ),
    },
    new_device_sign_in: {
      subject: new_device_sign_in.subject,
      content: page(heading(new_device_sign_in.heading), paragraph(new_device_sign_in.text), ...reportBlocks),
    },
  };
}

const byWebhookState = (disabledAsFailing: string, disabledAsGone: string, failing: string): string =>
  `{{#if disabledAsFailing}}${disabledAsFailing}{{else}}{{#if disabledAsGone}}${disabledAsGone}{{else}}${failing}{{/if}}{{/if}}`;

const noticeSubject = ({ changeSubjects, security_notice: { otherSubject } }: EmailTexts): string =>
  Object.keys(english.changeSubjects).reduceRight(
    (otherwise, name) =>
      `{{#if ${name}}}${changeSubjects[name as keyof typeof changeSubjects]}{{else}}${otherwise}{{/if}}`,
    otherSubject,
  );

const listChanges = ({ changes }: EmailTexts): string =>
  Object.entries(changes)
    .map(([name, sentence]) => `{{#if ${name}}}${sentence} {{/if}}`)
    .join('');

const built = new Map<Language, Readonly<Record<EmailType, EmailTemplate>>>();

/** The template that applies until an owner customizes it. Always the same object, so that it is compiled once. */
export function defaultTemplate(type: EmailType, language: Language = 'en-US'): EmailTemplate {
  const templates = built.get(language) ?? buildIn(language);
  return templates[type];
}

function buildIn(language: Language) {
  const entries = Object.entries(buildTemplates(textsOf(language)));
  const templates = Object.fromEntries(entries.map(([type, template]) => [type, { ...template, language }]));
  built.set(language, templates as Record<EmailType, EmailTemplate>);
  return templates as Record<EmailType, EmailTemplate>;
}
