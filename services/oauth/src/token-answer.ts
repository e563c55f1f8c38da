import { z } from 'zod';
import type { Answer } from './ask.ts';
import type { ProviderEntry } from './provider.ts';

/** A token goes into a header and a database: visible ASCII (RFC 6749 §A.12), and not without end. */
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

/** The error of a token endpoint's answer that has neither tokens nor an error. */
export const noAnswer = 'invalid_answer';

/**
 * A token endpoint's answer as RFC 6749 §5 has it, whatever the provider's habits: errors with status 200 (github), errors
 * that are objects (facebook), no `token_type` (linkedin), lives in quotes, empty fields, scopes with commas. Scopes are
 * left out: the ones asked for count. So is an ID token that nobody verifies.
 */
export function tidyTokenAnswer(entry: ProviderEntry, { status, body }: Answer): Response {
  const told = entry.tokenError?.(body);
  const error = TokenError.safeParse(body);
  if (told !== undefined || error.success) {
    return errorAnswer(told ?? error.data?.error ?? '', error.data?.error_description);
  }
  // Rejected without a word that we know: whom a token endpoint doesn't let in are we, the client.
  if (status === 401) return errorAnswer('invalid_client');
  const tokens = Tokens.safeParse(body);
  if (status >= 300 || !tokens.success) return errorAnswer(noAnswer);
  const { token_type: _, id_token: idToken, ...rest } = tokens.data;
  const isIdTokenKept = entry.idTokenKeys !== null && idToken !== undefined;
  return Response.json({ ...rest, token_type: 'bearer', ...(isIdTokenKept ? { id_token: idToken } : {}) });
}

function errorAnswer(error: string, description?: string): Response {
  return Response.json({ error, ...(description ? { error_description: description } : {}) }, { status: 400 });
}

const hour = 60 * 60;
const longestSeconds = 10 * 365 * 24 * hour;

/** When an access token ends: `expires_in`, else `expires_at` (Unix seconds), else the provider's default, else one hour. */
export function expiryOf(
  answer: Readonly<Record<string, unknown>>,
  { defaultTokenSeconds = hour }: Pick<ProviderEntry, 'defaultTokenSeconds'>,
  now: string,
): string {
  const nowMs = Date.parse(now);
  const { expires_in: life, expires_at: end } = answer;
  const fromEnd = typeof end === 'number' ? end - nowMs / 1000 : defaultTokenSeconds;
  const left = typeof life === 'number' ? life : fromEnd;
  return new Date(nowMs + Math.min(Math.max(left, 0), longestSeconds) * 1000).toISOString();
}
