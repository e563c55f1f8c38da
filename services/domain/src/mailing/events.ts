import { z } from 'zod';
import { NotificationCategory } from '../email/categories.ts';
import { TemplateType } from '../email/events.ts';
import { defineEvents, type EventOf } from '../event.ts';

/** What the recipients of a mailing get. */
export const MailingContent = z.object({
  /** null: the subject of the template, or the name of the project. */
  subject: z.string().nullable(),
  /** Sent as it is; null if the mailing uses a template. */
  html: z.string().nullable(),
  /** Variables of the template. */
  variables: z.record(z.string(), z.string()),
});
export type MailingContent = z.infer<typeof MailingContent>;

const about = { mailingId: z.uuid(), projectId: z.string() };
const at = z.iso.datetime();

export const mailingEvents = defineEvents({
  /**
   * A server sends an email to users. Encrypted under a separate key, which is destroyed once no email of the mailing
   * can be sent anymore.
   */
  MailingRequested: {
    version: 1,
    data: z.object({
      ...about,
      category: NotificationCategory,
      /** null: the content has its own HTML. */
      templateType: TemplateType.nullable(),
      content: MailingContent.nullable(),
      /** null: all users of the project who have an email address. */
      userIds: z.array(z.uuid()).nullable(),
      scheduledAt: at,
      expiresAt: at,
      at,
    }),
    personal: { subject: 'mailingId', fields: ['content'] },
    large: ['content', 'userIds'],
  },
  /** The emails to the recipients up to `lastUserId` are requested. */
  MailingEmailsRequested: {
    version: 1,
    data: z.object({ ...about, lastUserId: z.uuid().nullable(), isComplete: z.boolean(), at }),
  },
  /** No email of the mailing can be sent anymore, so its content is erased. */
  MailingClosed: { version: 1, data: z.object({ ...about, at }) },
});
export type MailingEvent = EventOf<typeof mailingEvents>;
