import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/** The mails whose wording an owner may change (protocol, projects §7). */
export const TemplateType = z.enum(['email_verification', 'password_reset', 'magic_link', 'team_invitation']);
export type TemplateType = z.infer<typeof TemplateType>;
/** Those, and the notices, whose text is Gatebook's own. */
export const EmailType = z.enum([...TemplateType.options, 'api_key_revoked', 'security_notice', 'new_device_sign_in']);
export type EmailType = z.infer<typeof EmailType>;

/** Why a mail server did not take a mail (protocol, projects §8). */
export const EmailErrorType = z.enum([
  'HOST_NOT_FOUND',
  'AUTH_FAILED',
  'TEMPORARY',
  'INVALID_EMAIL_ADDRESS',
  'REJECTED',
  'TIMEOUT',
  'SOCKET_CLOSED',
  'UNKNOWN',
]);
export type EmailErrorType = z.infer<typeof EmailErrorType>;

export const EmailError = z.object({
  type: EmailErrorType,
  message: z.string(),
  canRetry: z.boolean(),
  rawError: z.string(),
});
export type EmailError = z.infer<typeof EmailError>;

/** Through which server and under which name a mail left; never with a password. */
export const Sender = z.object({
  type: z.enum(['shared', 'standard']),
  host: z.string().nullable(),
  port: z.number().int().nullable(),
  username: z.string().nullable(),
  senderName: z.string(),
  senderEmail: z.string(),
});
export type Sender = z.infer<typeof Sender>;

const emailId = z.uuid();
const at = z.iso.datetime();
/** Keyed hash of the recipient, by which a subject that is no user is erased. */
const addressRef = z.string().nullable().default(null);
const attempt = {
  emailId,
  projectId: z.string(),
  emailType: z.enum([...EmailType.options, 'test']),
  /** Whose key encrypts what is shown of the mail: the user when known, else an id of its own. */
  subjectId: z.uuid(),
  userId: z.uuid().nullable(),
  to: z.string().nullable(),
  /** null where the subject is a user. */
  addressRef,
  subject: z.string().nullable(),
  sender: Sender,
  /** The first is 1. */
  attempt: z.number().int(),
  at,
};

export const emailEvents = defineEvents({
  /** Encrypted under a key of the mail's own, destroyed once the mail is out: the link in it opens an account. */
  EmailRequested: {
    version: 1,
    data: z.object({
      emailId,
      projectId: z.string(),
      emailType: EmailType,
      userId: z.uuid().nullable(),
      recipient: z.string().nullable(),
      addressRef,
      variables: z.record(z.string(), z.string()).nullable(),
      /** When the code in it expires: sending it later makes no sense. */
      expiresAt: z.iso.datetime(),
      at,
    }),
    personal: { subject: 'emailId', fields: ['recipient', 'variables'], addressRef: 'addressRef' },
  },
  EmailSent: {
    version: 1,
    data: z.object({ ...attempt, response: z.string().nullable() }),
    personal: { subject: 'subjectId', fields: ['to', 'subject', 'response'], addressRef: 'addressRef' },
  },
  EmailFailed: {
    version: 1,
    data: z.object({ ...attempt, error: EmailError.nullable(), isFinal: z.boolean() }),
    personal: { subject: 'subjectId', fields: ['to', 'subject', 'error'], addressRef: 'addressRef' },
  },
  /** An owner wants a mail that was given up to be tried again. */
  EmailRetried: { version: 1, data: z.object({ emailId, projectId: z.string(), at }) },
  /** Never sent, on purpose. */
  EmailDropped: {
    version: 1,
    data: z.object({
      emailId,
      projectId: z.string(),
      reason: z.enum(['recipient_limit', 'user_gone', 'expired']),
      at,
    }),
  },
});
export type EmailEvent = EventOf<typeof emailEvents>;
