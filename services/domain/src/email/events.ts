import { z } from 'zod';
import { defineEvents, type EventOf, type Upcast } from '../event.ts';

/** Types of email with a template that an owner may change (protocol, projects §7). */
export const TemplateType = z.enum(['email_verification', 'password_reset', 'magic_link', 'team_invitation']);
export type TemplateType = z.infer<typeof TemplateType>;
/** These and the notices, whose text can't be changed. */
export const EmailType = z.enum([
  ...TemplateType.options,
  'api_key_revoked',
  'security_notice',
  'new_device_sign_in',
  'sign_in_invitation',
  'webhook_failing',
  'project_invitation',
]);
export type EmailType = z.infer<typeof EmailType>;
/** Gatebook's own emails, and those that servers send to users. */
export const AnyEmailType = z.enum([...EmailType.options, 'mailing']);
export type AnyEmailType = z.infer<typeof AnyEmailType>;

/** Why a mail server did not accept an email (protocol, projects §8). */
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

/** The server and name that an email was sent with. Never includes a password. */
export const Sender = z.object({
  type: z.enum(['shared', 'standard']),
  host: z.string().nullable(),
  port: z.number().int().nullable(),
  username: z.string().nullable(),
  senderName: z.string(),
  senderEmail: z.string(),
});
export type Sender = z.infer<typeof Sender>;

export const EmailDropReason = z.enum([
  'recipient_limit',
  'user_gone',
  'expired',
  'no_email_address',
  'unsubscribed',
  'canceled',
]);
export type EmailDropReason = z.infer<typeof EmailDropReason>;

const emailId = z.uuid();
const at = z.iso.datetime();
/** Keyed hash of the recipient, by which a subject that is not a user is erased. */
const addressRef = z.string().nullable().default(null);
const attempt = {
  emailId,
  projectId: z.string(),
  emailType: z.enum([...AnyEmailType.options, 'test']),
  /** Subject whose key encrypts what is shown of the email: the user when known, else a random ID. */
  subjectId: z.uuid(),
  userId: z.uuid().nullable(),
  to: z.string().nullable(),
  /** null where the subject is a user. */
  addressRef,
  subject: z.string().nullable(),
  sender: Sender,
  /** Starts at 1. */
  attempt: z.number().int(),
  at,
};

/** Versions 2 and 3 have further types of emails, version 4 of a requested email has a language. */
const unchanged: Upcast = (data) => data;

export const emailEvents = defineEvents({
  /**
   * Encrypted under a separate key, which is destroyed once the email is sent: the link in it gives access to an
   * account.
   */
  EmailRequested: {
    version: 4,
    data: z.object({
      emailId,
      projectId: z.string(),
      emailType: AnyEmailType,
      /** The mailing with the content of this email; null for Gatebook's own emails. */
      mailingId: z.uuid().nullable().default(null),
      userId: z.uuid().nullable(),
      recipient: z.string().nullable(),
      addressRef,
      variables: z.record(z.string(), z.string()).nullable(),
      /** Tag of the language of the request; null if it named none or came from somebody else than the recipient. */
      language: z.string().nullable().default(null),
      /** Not sent before; null: immediately. */
      scheduledAt: z.iso.datetime().nullable().default(null),
      /** Expiry of the code in the email: sending it later is useless. */
      expiresAt: z.iso.datetime(),
      at,
    }),
    upcast: { 1: unchanged, 2: unchanged, 3: unchanged },
    personal: { subject: 'emailId', fields: ['recipient', 'variables'], addressRef: 'addressRef' },
  },
  EmailSent: {
    version: 3,
    data: z.object({ ...attempt, response: z.string().nullable() }),
    upcast: { 1: unchanged, 2: unchanged },
    personal: { subject: 'subjectId', fields: ['to', 'subject', 'response'], addressRef: 'addressRef' },
  },
  EmailFailed: {
    version: 3,
    data: z.object({ ...attempt, error: EmailError.nullable(), isFinal: z.boolean() }),
    upcast: { 1: unchanged, 2: unchanged },
    personal: { subject: 'subjectId', fields: ['to', 'subject', 'error'], addressRef: 'addressRef' },
  },
  /** An owner asked to retry an email that was given up. */
  EmailRetried: { version: 1, data: z.object({ emailId, projectId: z.string(), at }) },
  /** Held back until it is resumed. */
  EmailPaused: { version: 1, data: z.object({ emailId, projectId: z.string(), at }) },
  EmailResumed: { version: 1, data: z.object({ emailId, projectId: z.string(), at }) },
  EmailRescheduled: { version: 1, data: z.object({ emailId, projectId: z.string(), scheduledAt: at, at }) },
  /** Intentionally not sent. */
  EmailDropped: {
    version: 1,
    data: z.object({
      emailId,
      projectId: z.string(),
      reason: EmailDropReason,
      at,
    }),
  },
});
export type EmailEvent = EventOf<typeof emailEvents>;
