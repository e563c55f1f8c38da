import type {
  EmailPreviewRequest,
  EmailPreview as EmailPreviewView,
  EmailTemplateText as EmailTemplateTextView,
  EmailTemplateVersionView,
  EmailTemplateView,
  SentEmailView,
  TemplateTestResult,
  TestEmail,
  TestEmailResult,
  UndeliveredEmailView,
} from '@gatebook/contract/emails';
import type { PreviewedCall } from './changes.ts';
import { type ListPage, type PageQuery, type PageView, toListPage, toPageParams } from './list-pages.ts';
import type { Send } from './transport.ts';

export type EmailType = 'email_verification' | 'password_reset' | 'magic_link' | 'team_invitation';
/** Blocks by ID; `root` lists the visible blocks in order. */
export type EmailContent = Readonly<Record<string, EmailBlock>>;
export type EmailBlock = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
export type EmailTemplate = { type: EmailType; subject: string; content: EmailContent; isDefault: boolean };
export type EmailTemplateInput = { subject: string; content: EmailContent };
/** The languages of emails. */
export const emailLanguages = [
  ...(['en-US', 'de-DE', 'es-ES', 'fr-CA', 'fr-FR', 'it-IT', 'ja-JP', 'ko-KR', 'pt-BR', 'pt-PT'] as const),
  ...(['zh-CN', 'zh-TW'] as const),
] as const;
export type EmailLanguage = (typeof emailLanguages)[number];
/**
 * What a reader of a language gets: the version for the language, the edited default version, or Gatebook’s text in the
 * language.
 */
export type TemplateSource = 'version' | 'default_version' | 'built_in';
export type TemplateText = { type: EmailType; language: EmailLanguage; source: TemplateSource };
/** What a reader of the language gets. `builtIn`: Gatebook’s text in the language. */
export type TemplateVersion = TemplateText & EmailTemplateInput & { builtIn: EmailTemplateInput };
/** `variables` are the names available in the template. */
export type EmailPreview = { subject: string; html: string; text: string; variables: readonly string[] };
export type EmailFailure = { errorType: string; message: string; canRetry: boolean };
/** One attempt to send an email. `error` is null if the mail server accepted it. */
export type SentEmail = {
  id: string;
  to: readonly string[];
  subject: string;
  sentAt: Date;
  error: EmailFailure | null;
};
export type UndeliveredEmail = {
  id: string;
  type:
    | EmailType
    | 'api_key_revoked'
    | 'security_notice'
    | 'new_device_sign_in'
    | 'sign_in_invitation'
    | 'webhook_failing'
    | 'project_invitation'
    | 'mailing';
  to: readonly string[];
  subject: string;
  requestedAt: Date;
  expiresAt: Date;
  error: EmailFailure | null;
};
export type MailServer = {
  host: string;
  port: number;
  username: string;
  password: string;
  senderName: string;
  senderEmail: string;
};

/** `error`: why the mail server rejected the email, in plain words; null if it accepted it. */
export type TemplateTest = { recipient: string; error: string | null };

export type EmailsClient = {
  listTemplates(): Promise<readonly EmailTemplate[]>;
  updateTemplate(type: EmailType, template: EmailTemplateInput): Promise<EmailTemplate>;
  resetTemplate(type: EmailType): Promise<void>;
  /** Each type in each language. */
  listTemplateTexts(): Promise<readonly TemplateText[]>;
  getTemplateVersion(type: EmailType, language: EmailLanguage): Promise<TemplateVersion>;
  updateTemplateVersion(
    type: EmailType,
    language: EmailLanguage,
    template: EmailTemplateInput,
  ): Promise<TemplateVersion>;
  resetTemplateVersion(type: EmailType, language: EmailLanguage): Promise<void>;
  /** Sends a template, stored or not, to the signed-in member. Dates in it follow the language. */
  testTemplate(type: EmailType, template: EmailTemplateInput, language?: EmailLanguage | null): Promise<TemplateTest>;
  preview(type: EmailType, template: EmailTemplateInput, language?: EmailLanguage | null): Promise<EmailPreview>;
  /** Attempts to send emails, newest first. */
  listSent(page: PageQuery): Promise<ListPage<SentEmail>>;
  /** Emails that were not delivered after all attempts, newest first. */
  listUndelivered(page: PageQuery): Promise<ListPage<UndeliveredEmail>>;
  retry(emailId: string): Promise<void>;
  /** @returns why the mail server rejected the email, in plain words; null if it accepted it */
  sendTest(recipient: string, server: MailServer): Promise<string | null>;
};

const rejectedMessage = 'The mail server rejected the email.';

/** What `updateTemplate` calls, for a preview of it. */
export const callOfTemplate = (type: EmailType, template: EmailTemplateInput) =>
  ({ method: 'PUT', path: `/internal/email-templates/${type}/content`, body: template }) satisfies PreviewedCall;

/** What `updateTemplateVersion` calls, for a preview of it. */
export const callOfTemplateVersion = (type: EmailType, language: EmailLanguage, template: EmailTemplateInput) =>
  ({ method: 'PUT', path: versionPath(type, language), body: template }) satisfies PreviewedCall;

/** What `resetTemplateVersion` calls, for a preview of it. */
export const callOfVersionReset = (type: EmailType, language: EmailLanguage) =>
  ({ method: 'DELETE', path: versionPath(type, language), body: {} }) satisfies PreviewedCall;

const versionPath = (type: EmailType, language: EmailLanguage) =>
  `/internal/email-templates/${type}/versions/${language}`;

const previewBody = ({ subject, content }: EmailTemplateInput, language: EmailLanguage | null = null) =>
  ({
    subject,
    content: content as EmailPreviewRequest['content'],
    ...(language && { language }),
  }) satisfies EmailPreviewRequest;

export const emailsClient = (send: Send): EmailsClient => ({
  listTemplates: async () =>
    (await send<{ items: EmailTemplateView[] }>('GET', '/email-templates')).items.map(templateFromWire),
  updateTemplate: async (type, template) => {
    const { method, path, body } = callOfTemplate(type, template);
    return templateFromWire(await send<EmailTemplateView>(method, path, body));
  },
  resetTemplate: async (type) => {
    await send('DELETE', `/email-templates/${type}`, {});
  },
  listTemplateTexts: async () =>
    (await send<{ items: EmailTemplateTextView[] }>('GET', '/internal/email-template-versions')).items,
  getTemplateVersion: async (type, language) =>
    versionFromWire(await send<EmailTemplateVersionView>('GET', versionPath(type, language))),
  updateTemplateVersion: async (type, language, template) => {
    const { method, path, body } = callOfTemplateVersion(type, language, template);
    return versionFromWire(await send<EmailTemplateVersionView>(method, path, body));
  },
  resetTemplateVersion: async (type, language) => {
    const { method, path, body } = callOfVersionReset(type, language);
    await send(method, path, body);
  },
  testTemplate: async (type, template, language) => {
    const path = `/internal/email-templates/${type}/test`;
    const { success, error_message, recipient_email } = await send<TemplateTestResult>(
      'POST',
      path,
      previewBody(template, language),
    );
    return { recipient: recipient_email, error: success ? null : (error_message ?? rejectedMessage) };
  },
  preview: (type, template, language) =>
    send<EmailPreviewView>('POST', `/internal/email-templates/${type}/preview`, previewBody(template, language)),
  listSent: async (page) =>
    toListPage(
      await send<PageView<SentEmailView>>('GET', `/internal/emails?${new URLSearchParams(toPageParams(page))}`),
      ({ id, to, subject, sent_at_millis, error }) => ({ id, to, subject, sentAt: new Date(sent_at_millis), error }),
    ),
  listUndelivered: async (page) =>
    toListPage(
      await send<PageView<UndeliveredEmailView>>(
        'GET',
        `/internal/emails/undelivered?${new URLSearchParams(toPageParams(page))}`,
      ),
      ({ id, type, to, subject, requested_at_millis, expires_at_millis, error }) => ({
        id,
        type,
        to,
        subject,
        requestedAt: new Date(requested_at_millis),
        expiresAt: new Date(expires_at_millis),
        error,
      }),
    ),
  retry: async (emailId) => {
    await send('POST', `/internal/emails/${encodeURIComponent(emailId)}/retry`, {});
  },
  sendTest: async (recipient, { senderName, senderEmail, ...server }) => {
    const email_config = { ...server, sender_name: senderName, sender_email: senderEmail };
    const body = { recipient_email: recipient, email_config } satisfies TestEmail;
    const { success, error_message } = await send<TestEmailResult>('POST', '/internal/send-test-email', body);
    return success ? null : (error_message ?? rejectedMessage);
  },
});

function templateFromWire({ type, subject, content, is_default }: EmailTemplateView): EmailTemplate {
  return { type, subject, content: content as EmailContent, isDefault: is_default };
}

function versionFromWire({ built_in, content, ...version }: EmailTemplateVersionView): TemplateVersion {
  const builtIn = { subject: built_in.subject, content: built_in.content as EmailContent };
  return { ...version, content: content as EmailContent, builtIn };
}
