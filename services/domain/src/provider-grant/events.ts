import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/**
 * What a provider gave us to act for a person, by the account there. The stream is named like the account's reservation: by the keyed
 * hash of provider and account id.
 */
export const providerGrantEvents = defineEvents({
  ProviderTokensStored: {
    version: 1,
    data: z.object({
      accountRef: z.string(),
      userId: z.uuid(),
      projectId: z.string(),
      provider: z.string(),
      /** Asked for when the tokens were given out; of both. */
      scopes: z.array(z.string()),
      accessToken: z.string().nullable(),
      expiresAt: z.iso.datetime(),
      /** null: none came with it, and the one before stays. */
      refreshToken: z.string().nullable(),
      at: z.iso.datetime(),
    }),
    personal: { subject: 'userId', fields: ['accessToken', 'refreshToken'] },
  },
});
export type ProviderGrantEvent = EventOf<typeof providerGrantEvents>;
