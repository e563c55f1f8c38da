import { z } from 'zod';
import { filledTextUpTo, flag, numberOf, pagedListOf, pageFields, userId } from './common.ts';

/** Location of the last use of a session; camelCase as in the protocol (protocol, conventions §8). */
const EndUserPlace = z.object({
  ip: z.string(),
  countryCode: z.string().nullable().optional(),
  regionCode: z.string().nullable().optional(),
  cityName: z.string().nullable().optional(),
  latitude: z.number().nullable().optional(),
  longitude: z.number().nullable().optional(),
  tzIdentifier: z.string().nullable().optional(),
});

export const SessionView = z
  .object({
    id: z.uuid(),
    user_id: z.uuid(),
    created_at: z.number().int(),
    is_impersonation: z.boolean(),
    last_used_at: z.number().int().optional(),
    is_current_session: z.boolean(),
    device: z
      .object({ browser: z.string().nullable(), system: z.string().nullable() })
      .meta({ description: 'Of the sign-in, such as `Chrome` and `macOS`; null where the user agent says nothing.' }),
    last_used_at_end_user_ip_info: EndUserPlace.optional(),
  })
  .meta({ id: 'Session', description: 'Times in milliseconds since 1970 UTC, although their names do not say so.' });
export type SessionView = z.infer<typeof SessionView>;

export const SessionListView = pagedListOf(SessionView).meta({ id: 'SessionList' });
export type SessionListView = z.infer<typeof SessionListView>;

export const SessionsQuery = z.strictObject({ user_id: userId, ...pageFields });
/** A server may end any session without naming its user (protocol, rule 7). */
export const DeleteSessionQuery = z.strictObject({ user_id: userId.optional() });

/** 367 days: the maximum lifetime of a session created by a server. */
const longestSessionMs = 31_708_800_000;
/** 365 days. */
export const defaultSessionMs = 31_536_000_000;

export const NewSession = z
  .strictObject({
    user_id: userId,
    expires_in_millis: numberOf(z.number().positive().max(longestSessionMs)).default(defaultSessionMs),
    is_impersonation: flag.default(false),
    impersonation_reason: filledTextUpTo(500)
      .optional()
      .meta({ description: 'Shown in the history of the user. Requires `is_impersonation`.' }),
  })
  .refine(({ is_impersonation, impersonation_reason }) => is_impersonation || impersonation_reason === undefined, {
    path: ['impersonation_reason'],
    message: 'requires is_impersonation',
  })
  .meta({
    id: 'NewSession',
    description: 'With `is_impersonation`, `expires_in_millis` of more than an hour (3,600,000) counts as an hour.',
  });
export type NewSession = z.infer<typeof NewSession>;

export const SessionTokens = z
  .object({ refresh_token: z.string(), access_token: z.string() })
  .meta({ id: 'SessionTokens' });
export type SessionTokens = z.infer<typeof SessionTokens>;

export const RefreshedSession = z.object({ access_token: z.string() }).meta({ id: 'RefreshedSession' });
export type RefreshedSession = z.infer<typeof RefreshedSession>;
