import { z } from 'zod';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Any JSON value in a response, including null. */
export const JsonValue = z.unknown().meta({ description: 'any JSON value' }) as unknown as z.ZodType<Json>;

/** JSON schema keyword for the maximum size of a free JSON value, in bytes of compact UTF-8. */
export const maxBytesKey = 'x-max-bytes';
const utf8 = new TextEncoder();
const jsonBytes = (value: unknown) => utf8.encode(JSON.stringify(value) ?? '').length;

/** Any JSON value in a request, including null. Its depth and strings are checked when the request is parsed. */
export const jsonUpTo = (maxBytes: number) =>
  z
    .unknown()
    .refine((value) => jsonBytes(value) <= maxBytes, `must not be larger than ${maxBytes} bytes as JSON`)
    .meta({
      description: `any JSON value of at most ${maxBytes} bytes`,
      [maxBytesKey]: maxBytes,
    }) as unknown as z.ZodType<Json>;
/** Client, client read-only and server metadata. */
export const metadata = jsonUpTo(65_536);

/**
 * Fields of requests. Scalars are coerced before they are checked, as query strings require; arrays, objects and null
 * never are (protocol, conventions §6). Responses use plain zod types, because they must not be coerced.
 */
const isScalar = (value: unknown) => Number.isFinite(value) || typeof value === 'boolean';
const asText = (value: unknown) => (isScalar(value) ? String(value) : value);

function asNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const digits = value.replace(/\s/g, '');
  return digits === '' ? value : Number(digits);
}

export function asBoolean(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const word = String(value).toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : value;
}

export const textOf = <Schema extends z.ZodType<string>>(schema: Schema) => z.preprocess(asText, schema);
export const numberOf = <Schema extends z.ZodType<number>>(schema: Schema) => z.preprocess(asNumber, schema);

/** Every string in a request has a maximum length, in UTF-16 code units. */
export const textUpTo = (maxLength: number) => textOf(z.string().max(maxLength));
export const filledTextUpTo = (maxLength: number) => textOf(z.string().min(1).max(maxLength));
/** A display name. */
export const name = textUpTo(256);
export const description = textUpTo(2_000);
/** A key, token or code issued by Gatebook; all are shorter. */
export const secret = textUpTo(1_024);
/** The password rules below this length have errors of their own. */
export const password = textUpTo(1_024);
/**
 * base64 with padding, 16 to 128 bytes: RFC 4226 §4 (R6) requires a TOTP secret of at least 128 bits, and HMAC would
 * hash a longer one first (RFC 2104).
 */
export const totpSecret = textOf(z.base64().min(24).max(172));
export const flag = z.preprocess(asBoolean, z.boolean());
/** `true` or `false` in a query string. */
export const flagText = z.enum(['true', 'false']).transform((word) => word === 'true');
/** A time from 1970 to the end of the year 9999, as ISO 8601 can express. */
export const millis = numberOf(z.number().int().min(0).max(253_402_300_799_999));

/** A UUID of version 1 to 8 or the nil UUID, in any case; converted to lowercase, as in stream names. */
const uuidForm =
  /^([0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|00000000-0000-0000-0000-000000000000)$/i;
const plainUuid = z.string().max(36).regex(uuidForm, 'must be a UUID').toLowerCase();
export const uuid = textOf(plainUuid);
/** A user ID; `me` is replaced with the ID of the signed-in user before anything else is checked. */
export const userId = textOf(plainUuid).meta({ description: 'a UUID, or `me` for the signed-in user' });

/** Any URL that a standard parser accepts, without spaces. */
const isUrl = (value: string) => !/\s/.test(value) && URL.canParse(value);
const plainUrl = z.string().refine(isUrl, 'must be an absolute URL without spaces');
export const url = textOf(plainUrl.max(4_096));
export const imageUrl = textOf(plainUrl.max(1_000_000));

/** An email address; no top-level domain required. 320 characters are the maximum of RFC 3696. */
const plainEmail = z.string().max(320).regex(z.regexes.html5Email, 'must be an email address');
export const email = textOf(plainEmail);

/** A sign-in address. Stricter, to catch typing errors (protocol, auth §0.2). */
function isSignInEmail(value: string): boolean {
  const at = value.lastIndexOf('@');
  const local = value.slice(0, at);
  const labels = value.slice(at + 1).split('.');
  const hasStrayDot = local.startsWith('.') || local.endsWith('.') || local.includes('..');
  return !hasStrayDot && labels.length > 1 && /^[a-z][a-z0-9-]*[a-z0-9]$/i.test(labels.at(-1) ?? '');
}
export const signInEmail = textOf(plainEmail.refine(isSignInEmail, 'must be an email address with a full domain name'));

/** Ignored: newer client libraries send a bot challenge, which Gatebook does not use. */
export const botChallenge = {
  bot_challenge_token: textUpTo(8_192).optional(),
  bot_challenge_phase: textUpTo(256).optional(),
  bot_challenge_unavailable: textUpTo(256).optional(),
};

export const Success = z
  .object({ success: z.literal(true) })
  .meta({ id: 'Success', description: 'What every delete and every action without a result answers.' });
export type Success = z.infer<typeof Success>;

/** What lists in pages accept. */
export const pageFields = {
  limit: numberOf(z.number().int().min(1)).optional(),
  /** `next_cursor` of the page before, which only the server reads. */
  cursor: textUpTo(512).optional(),
};
/** A list in pages. `pagination` is present if `is_paginated` is true. */
export const pagedListOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    is_paginated: z.boolean(),
    pagination: z.object({ next_cursor: z.string().nullable() }).optional(),
  });

/** A list that is not paginated. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), is_paginated: z.literal(false) });
export type List<Item> = { items: Item[]; is_paginated: false };

/** Who reads a response: server and admin access see more than client access. */
export type Audience = 'client' | 'server';
const views = new WeakMap<z.core.$ZodType, Readonly<Record<Audience, z.ZodType>>>();
/** The views of a schema from `viewsByAccess`. */
export const viewsOf = (schema: z.core.$ZodType) => views.get(schema);

/** One thing as each audience sees it. The access type of the caller decides which view is sent. */
export function viewsByAccess<Server extends z.ZodType, Client extends z.ZodType>(
  byAudience: { server: Server; client: Client },
  meta: z.GlobalMeta = {},
): z.ZodUnion<readonly [Server, Client]> {
  const { server, client } = byAudience;
  const either = z.union([server, client]).meta(meta);
  views.set(either, byAudience);
  return either;
}

/** A text that a rule accepts; `faultOf` says why not. */
export const textWithout = (maxLength: number, faultOf: (text: string) => string | null) =>
  textOf(
    z
      .string()
      .trim()
      .max(maxLength)
      .superRefine((text, context) => {
        const message = faultOf(text);
        if (message !== null) context.addIssue({ code: 'custom', message });
      }),
  );
