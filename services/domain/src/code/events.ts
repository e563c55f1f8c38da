import { z } from 'zod';
import { defineEvents, type EventOf, type Upcast } from '../event.ts';

export const CodePurpose = z.enum([
  'owner_setup',
  'sign_in',
  'password_reset',
  'contact_channel_verification',
  'team_invitation',
  'project_invitation',
  'mfa_attempt',
  'passkey_registration',
  'passkey_authentication',
  'cli_polling',
  'cli_login',
  'oauth_request',
  'oauth_authorization_request',
  'oauth_code',
  'cross_domain_code',
  'activity_report',
]);
export type CodePurpose = z.infer<typeof CodePurpose>;

const codeId = z.string();
const at = z.iso.datetime();

/**
 * The session that a code led to, so that it can be ended when the code is presented again. It started right away, or
 * with the second factor under the code `attemptId`.
 */
const GrantedSession = z.object({ sessionId: z.uuid(), attemptId: z.string() });
export type GrantedSession = z.infer<typeof GrantedSession>;

/** Version 2 has a further purpose. */
const unchanged: Upcast = (data) => data;

/**
 * A one-time code. Its stream is named by a hash of the last 39 characters of the code, because attempts count for all
 * codes that share them (protocol, conventions §5). `codeHash` is the hash of the whole code, `codeId` the ID of the
 * stream.
 */
export const codeEvents = defineEvents({
  CodeIssued: {
    version: 2,
    data: z.object({
      codeId,
      /** Subject whose key encrypts the recipient: the user when known, else a random ID of the code. */
      subjectId: z.uuid(),
      projectId: z.string(),
      purpose: CodePurpose,
      codeHash: z.string(),
      recipient: z.string().nullable(),
      /** Keyed hash of the recipient, by which the code's own subject is erased; null where the subject is a user. */
      addressRef: z.string().nullable().default(null),
      callbackUrl: z.string().nullable(),
      payload: z.record(z.string(), z.json()),
      /** Data that only the bearer of the code may see. */
      encryptedPayload: z.record(z.string(), z.json()).nullable().default(null),
      expiresAt: z.iso.datetime(),
      at,
    }),
    upcast: { 1: unchanged },
    personal: {
      subject: 'subjectId',
      fields: ['recipient', 'callbackUrl', 'encryptedPayload'],
      addressRef: 'addressRef',
    },
  },
  /** One presentation, right or wrong, even if the code is only checked. */
  CodeAttempted: { version: 1, data: z.object({ codeId, at }) },
  CodeUsed: {
    version: 1,
    data: z.object({ codeId, at, granted: GrantedSession.nullable().default(null) }),
  },
  /** A signed-in user approved the CLI login that polls with this code. */
  CodeApproved: {
    version: 1,
    data: z.object({ codeId, userId: z.uuid(), userRevision: z.number().int(), at }),
  },
  /** The browser got a session of the anonymous user whom the command line had signed in before. */
  CodeAnonymousSessionHandedOver: { version: 1, data: z.object({ codeId, at }) },
  CodeRevoked: { version: 1, data: z.object({ codeId, at }) },
});
export type CodeEvent = EventOf<typeof codeEvents>;
