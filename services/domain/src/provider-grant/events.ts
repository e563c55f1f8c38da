import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/**
 * Tokens that a provider issued for a user, per account. The stream has the same name as the reservation of the
 * account: the keyed hash of provider and account ID.
 */
export const providerGrantEvents = defineEvents({
  ProviderTokensStored: {
    version: 1,
    data: z.object({
      accountRef: z.string(),
      userId: z.uuid(),
      projectId: z.string(),
      provider: z.string(),
      /** Scopes that both tokens were requested with. */
      scopes: z.array(z.string()),
      accessToken: z.string().nullable(),
      expiresAt: z.iso.datetime(),
      /** null: no refresh token was issued, and the previous one stays. */
      refreshToken: z.string().nullable(),
      at: z.iso.datetime(),
    }),
    personal: { subject: 'userId', fields: ['accessToken', 'refreshToken'] },
  },
  /** The account no longer belongs to the user. Its tokens are not given out again. */
  ProviderTokensDiscarded: {
    version: 1,
    data: z.object({ accountRef: z.string(), userId: z.uuid(), at: z.iso.datetime() }),
  },
});
export type ProviderGrantEvent = EventOf<typeof providerGrantEvents>;
