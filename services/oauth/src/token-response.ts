import { z } from 'zod';
import type { ProviderEntry } from './provider.ts';
import type { ProviderResponse } from './request.ts';

/** Tokens are sent in headers and stored: visible ASCII (RFC 6749 §A.12) of limited length. */
const token = z
  .string()
  .max(20_000)
  .regex(/^[\x20-\x7e]+$/);
const seconds = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).pipe(z.number().nonnegative());
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const Tokens = z.object({
  access_token: token,
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .nullish(),
  expires_in: optional(seconds),
  expires_at: optional(seconds),
  refresh_token: optional(token),
  id_token: optional(z.string()),
});
const TokenError = z.object({ error: z.string().min(1), error_description: optional(z.string()) });

/** Error code for a response of a token endpoint that has neither tokens nor an error. */
export const invalidResponse = 'invalid_response';

/**
 * Normalizes the response of a token endpoint to RFC 6749 §5, whatever the provider sends: errors with status 200
 * (github), errors as objects (facebook), no `token_type` (linkedin), lifetimes as strings, empty fields, scopes with
 * commas. Drops scopes, because the requested ones count, and ID tokens that are not verified.
 */
export function normalizeTokenResponse(entry: ProviderEntry, { status, body }: ProviderResponse): Response {
  const mappedError = entry.tokenError?.(body);
  const error = TokenError.safeParse(body);
  if (mappedError !== undefined || error.success) {
    return errorResponse(mappedError ?? error.data?.error ?? '', error.data?.error_description);
  }
  // Rejected without a known error: a token endpoint that responds with 401 rejects the client, which is Gatebook.
  if (status === 401) return errorResponse('invalid_client');
  const tokens = Tokens.safeParse(body);
  if (status >= 300 || !tokens.success) return errorResponse(invalidResponse);
  const { token_type: _, id_token: idToken, ...rest } = tokens.data;
  const includesIdToken = entry.idTokenKeys !== null && idToken !== undefined;
  return Response.json({ ...rest, token_type: 'bearer', ...(includesIdToken ? { id_token: idToken } : {}) });
}

function errorResponse(error: string, description?: string): Response {
  return Response.json({ error, ...(description ? { error_description: description } : {}) }, { status: 400 });
}

const hour = 60 * 60;
const maxSeconds = 10 * 365 * 24 * hour;

/**
 * Computes when an access token expires: by `expires_in`, else `expires_at` (Unix seconds), else the default of the
 * provider, else after one hour.
 */
export function computeExpiry(
  response: Readonly<Record<string, unknown>>,
  { defaultTokenSeconds = hour }: Pick<ProviderEntry, 'defaultTokenSeconds'>,
  now: string,
): string {
  const nowMs = Date.parse(now);
  const { expires_in: lifetime, expires_at: expiry } = response;
  const fromExpiry = typeof expiry === 'number' ? expiry - nowMs / 1000 : defaultTokenSeconds;
  const remaining = typeof lifetime === 'number' ? lifetime : fromExpiry;
  return new Date(nowMs + Math.min(Math.max(remaining, 0), maxSeconds) * 1000).toISOString();
}
