import type { Json } from '@gatebook/contract/common';
import type {
  EmailTemplateVersionView,
  EmailTemplateView,
  SentEmailView,
  TemplateSource,
  UndeliveredEmailView,
} from '@gatebook/contract/emails';
import type { EmailError, Sender, TemplateType } from '@gatebook/domain/email/events';
import type { Language } from '@gatebook/domain/email/languages';
import { chooseVersion } from '@gatebook/mail/choose-template';
import { EmailContent } from '@gatebook/mail/content';
import { defaultTemplate, type EmailTemplate } from '@gatebook/mail/defaults';
import type {
  EmailAttemptRow,
  EmailTemplateRow,
  TemplateVersionRow,
  UndeliveredEmailRow,
} from '@gatebook/readmodel/emails/queries';
import type { TextLanguage } from '../../http/text-language.ts';
import { mailErrorText } from './mail-error-text.ts';

/** Parts of the project's template override parts of the default template. */
export function toTemplateView(type: TemplateType, own: EmailTemplateRow | undefined): EmailTemplateView {
  const fallback = defaultTemplate(type);
  return {
    type,
    subject: own?.subject || fallback.subject,
    content: (own?.content ?? fallback.content) as Record<string, Json>,
    is_default: own === undefined,
  };
}

export function sourceOf(chosen: ReturnType<typeof chooseVersion>): TemplateSource {
  if (chosen === null) return 'built_in';
  return chosen.language === null ? 'default_version' : 'version';
}

/** What a reader of the language gets. `versions`: the edited ones, for the language and the default version. */
export function toVersionView(
  type: TemplateType,
  language: Language,
  versions: readonly TemplateVersionRow[],
): EmailTemplateVersionView {
  const chosen = chooseVersion((wanted) => versions.find((version) => version.language === wanted), language);
  const builtIn = defaultTemplate(type, language);
  const fallback = chosen?.language === null ? defaultTemplate(type) : builtIn;
  return {
    type,
    language,
    source: sourceOf(chosen),
    subject: chosen?.version.subject || fallback.subject,
    content: (chosen?.version.content ?? fallback.content) as Record<string, Json>,
    built_in: { subject: builtIn.subject, content: builtIn.content as Record<string, Json> },
  };
}

/** In the form that the worker reads. */
export function toTemplate({ type, subject, content }: EmailTemplateView): EmailTemplate {
  const parsed = EmailContent.safeParse(content);
  return { subject, content: parsed.success ? parsed.data : defaultTemplate(type).content };
}

const hidden = { host: null, port: null, username: null };
const addresses = (recipient: string | null) => (recipient === null ? [] : [recipient]);
const toErrorView = (language: TextLanguage, error: EmailError | null, sender: Sender | null) => {
  if (error === null) return null;
  const { type: errorType, message, ...rest } = hideSharedServer(error, sender);
  return { errorType, message: mailErrorText(language, message), ...rest };
};

/**
 * An error as a project's members see it. They learn nothing about the mail server of the installation, which concerns
 * its operators only: neither its name nor what it said.
 */
export function hideSharedServer<Error extends EmailError | null>(error: Error, sender: Sender | null): Error {
  if (error === null || sender?.type !== 'shared') return error;
  const { host, port } = sender;
  const withoutQuote = error.message.replace(/ (Response|Reason): .*$/s, '');
  const message =
    host === null ? withoutQuote : withoutQuote.replaceAll(`${host}:${port}`, host).replaceAll(host, '(hidden)');
  return { ...error, message, rawError: '' };
}

export function toSentView(
  language: TextLanguage,
  { id, recipient, subject, sender, error, at }: EmailAttemptRow,
): SentEmailView {
  const { type, senderName, senderEmail } = sender;
  const { host, port, username } = type === 'shared' ? hidden : sender;
  return {
    id,
    subject: subject ?? '',
    sent_at_millis: at,
    to: addresses(recipient),
    sender_config: { type, host, port, username, sender_name: senderName, sender_email: senderEmail },
    error: toErrorView(language, error, sender),
  };
}

export function toUndeliveredView(language: TextLanguage, row: UndeliveredEmailRow): UndeliveredEmailView {
  return {
    id: row.id,
    type: row.type,
    to: addresses(row.recipient),
    subject: row.subject ?? '',
    requested_at_millis: row.requestedAt,
    expires_at_millis: row.expiresAt,
    error: toErrorView(language, row.error, row.sender),
  };
}
