import type { EmailTemplateView, SentEmailView, TestEmailResult } from '@gatebook/contract/emails';
import type { OutboxEmailView } from '@gatebook/contract/sending';
import {
  type EmailContent,
  type EmailPreview,
  type EmailTemplateInput,
  type EmailType,
  emailsClient,
  type UndeliveredEmail,
} from '../emails.ts';
import type { Read } from './cache.ts';
import { fromWire, queryOf, toWire } from './fields.ts';
import { NotOfferedError } from './not-offered.ts';
import { type Context, createRead, readList } from './reads.ts';
import type { Result } from './result.ts';
import type { PageView } from './server-objects.ts';

export type AdminEmailTemplate = { type: EmailType; subject: string; content: EmailContent; isDefault: boolean };
export type AdminSentEmail = {
  id: string;
  to: string[];
  /** The first of `to`. */
  recipient: string;
  subject: string;
  sentAt: Date;
  error: unknown;
};
/** An email that a server sent, and what became of it. */
export type AdminEmailOutbox = {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  scheduledAt: Date;
  to: { type: string; userId?: string; emails?: string[] };
  subject?: string;
  status: 'paused' | 'preparing' | 'scheduled' | 'queued' | 'server-error' | 'bounced' | 'skipped' | 'sent';
  simpleStatus: 'in-progress' | 'ok' | 'error';
  isPaused: boolean;
  hasRendered: boolean;
  hasDelivered: boolean;
  deliveredAt?: Date;
  skippedReason?: string;
  serverError?: string;
  sendAttemptErrors: SendAttemptError[] | null;
};
export type SendAttemptError = {
  attemptNumber: number;
  timestamp: string;
  externalMessage: string;
  externalDetails: Readonly<Record<string, unknown>>;
  internalMessage: string;
  internalDetails: Readonly<Record<string, unknown>>;
};
export type EmailOutboxListOptions = { status?: string; simpleStatus?: string; limit?: number; cursor?: string };
export type EmailOutboxUpdateOptions = { isPaused?: boolean; scheduledAtMillis?: number; cancel?: boolean };
export type EmailConfig = {
  host: string;
  port: number;
  username: string;
  password: string;
  senderEmail: string;
  senderName: string;
};

export type EmailMethods = {
  listEmailTemplates: Read<[], AdminEmailTemplate[]>;
  updateEmailTemplate(type: EmailType, options: Partial<EmailTemplateInput>): Promise<void>;
  resetEmailTemplate(type: EmailType): Promise<void>;
  previewEmailTemplate(type: EmailType, template: EmailTemplateInput): Promise<EmailPreview>;
  /** The latest 100 attempts, newest first. */
  listSentEmails: Read<[], AdminSentEmail[]>;
  /** Given up after all attempts, newest first. */
  listUndeliveredEmails: Read<[], readonly UndeliveredEmail[]>;
  retryEmail(id: string): Promise<void>;
  sendTestEmail(options: {
    recipientEmail: string;
    emailConfig: EmailConfig;
  }): Promise<Result<undefined, { errorMessage: string }>>;
  sendSignInInvitationEmail(email: string, callbackUrl: string): Promise<void>;
  listOutboxEmails: Read<[options?: EmailOutboxListOptions], { items: AdminEmailOutbox[]; nextCursor: string | null }>;
  getOutboxEmail: Read<[id: string], AdminEmailOutbox>;
  updateOutboxEmail(id: string, options: EmailOutboxUpdateOptions): Promise<AdminEmailOutbox>;
  pauseOutboxEmail(id: string): Promise<AdminEmailOutbox>;
  unpauseOutboxEmail(id: string): Promise<AdminEmailOutbox>;
  cancelOutboxEmail(id: string): Promise<AdminEmailOutbox>;
};

const templatesPath = '/email-templates';
const outboxPath = '/emails/outbox';

export function emailMethods(context: Context): EmailMethods {
  const { send, cache } = context;
  const emails = emailsClient(send);
  const changeTemplate = async (...request: Parameters<typeof send>): Promise<void> => {
    await send(...request);
    await cache.refresh(templatesPath);
  };
  return {
    listEmailTemplates: readList(
      context,
      () => templatesPath,
      ({ is_default: isDefault, ...template }: EmailTemplateView) => ({ ...template, isDefault }) as AdminEmailTemplate,
    ),
    updateEmailTemplate: async (type, options) => {
      if (typeof options !== 'object') throw new NotOfferedError('updateEmailTemplate with TSX');
      await changeTemplate('PATCH', `${templatesPath}/${type}`, options);
    },
    resetEmailTemplate: (type) => changeTemplate('DELETE', `${templatesPath}/${type}`, {}),
    previewEmailTemplate: (type, { subject, content }) => emails.preview(type, { subject, content }),
    listSentEmails: readList(
      context,
      () => '/internal/emails',
      ({ id, to, subject, sent_at_millis, error }: SentEmailView): AdminSentEmail => {
        return { id, to, recipient: to[0] ?? '', subject, sentAt: new Date(sent_at_millis), error };
      },
    ),
    listUndeliveredEmails: createRead(
      context,
      () => '/internal/emails/undelivered',
      async () => (await emails.listUndelivered({})).items,
    ),
    retryEmail: async (id) => {
      await emails.retry(id);
      await cache.refresh('/internal/emails');
    },
    sendTestEmail: async (options) => {
      const view = await send<TestEmailResult>('POST', '/internal/send-test-email', toWire(options));
      if (view.success) return { status: 'ok', data: undefined };
      return { status: 'error', error: { errorMessage: view.error_message ?? 'The mail server rejected the email.' } };
    },
    sendSignInInvitationEmail: async (email, callback_url) => {
      await send('POST', '/internal/send-sign-in-invitation', { email, callback_url });
    },
    ...outboxMethods(context),
  };
}

function outboxMethods(context: Context) {
  const { send, cache } = context;
  const onePath = (id: string) => `${outboxPath}/${encodeURIComponent(id)}`;
  const update = async (id: string, options: EmailOutboxUpdateOptions): Promise<AdminEmailOutbox> => {
    const email = toOutboxEmail(await send<OutboxEmailView>('PATCH', onePath(id), toWire(options)));
    await cache.refresh(outboxPath);
    return email;
  };
  const pathOf = (options: EmailOutboxListOptions = {}) => `${outboxPath}${queryOf(options)}`;
  return {
    listOutboxEmails: createRead(context, pathOf, async (options?: EmailOutboxListOptions) => {
      const { items, pagination } = await send<PageView<OutboxEmailView>>('GET', pathOf(options));
      return { items: items.map(toOutboxEmail), nextCursor: pagination?.next_cursor ?? null };
    }),
    getOutboxEmail: createRead(context, onePath, async (id: string) =>
      toOutboxEmail(await send<OutboxEmailView>('GET', onePath(id))),
    ),
    updateOutboxEmail: update,
    pauseOutboxEmail: (id: string) => update(id, { isPaused: true }),
    unpauseOutboxEmail: (id: string) => update(id, { isPaused: false }),
    cancelOutboxEmail: (id: string) => update(id, { cancel: true }),
  };
}

const toOutboxEmail = (view: OutboxEmailView): AdminEmailOutbox => fromWire(view);
