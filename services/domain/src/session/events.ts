import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';
import { personalSignInFields, SignInMethod, signInFields, unknownSignIn } from '../user/events.ts';

export const sessionEvents = defineEvents({
  SessionStarted: {
    version: 3,
    data: z.object({
      sessionId: z.uuid(),
      userId: z.uuid(),
      projectId: z.string(),
      /** Revision of the user's stream that the sign-in was decided on; see `UserSessionsEnded`. */
      userRevision: z.number().int(),
      refreshTokenHash: z.string(),
      expiresAt: z.iso.datetime(),
      isImpersonation: z.boolean(),
      /** Who started the session to act for the user; null for the user's own session. */
      impersonator: z
        .object({ kind: z.enum(['server', 'admin', 'owner']), id: z.string().nullable() })
        .nullable()
        .default(null),
      /** What the impersonator gave as the reason; null if nothing, and for the user's own session. */
      impersonationReason: z.string().nullable().default(null),
      method: SignInMethod,
      /** What was required besides `method`. */
      secondFactor: z.enum(['totp']).nullable().default(null),
      ...signInFields,
      at: z.iso.datetime(),
    }),
    personal: { subject: 'userId', fields: [...personalSignInFields, 'impersonationReason'] },
    upcast: {
      1: (data) => ({ secondFactor: null, ...unknownSignIn, ...data }),
      2: (data) => ({ impersonationReason: null, ...data }),
    },
  },
  SessionEnded: {
    version: 1,
    data: z.object({
      sessionId: z.uuid(),
      userId: z.uuid(),
      /**
       * `quota`: the user had more sessions than the project allows, and this one was unused for the longest time.
       * `code_replayed`: the authorization code of the session was presented again (RFC 6749 §4.1.2).
       */
      reason: z.enum(['sign_out', 'revoked', 'quota', 'code_replayed']),
      at: z.iso.datetime(),
    }),
  },
});
export type SessionEvent = EventOf<typeof sessionEvents>;
