import { z } from 'zod';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Any JSON value, null included. Its depth and its texts were checked when the request was read. */
export const JsonValue = z.unknown().meta({ description: 'any JSON value' }) as unknown as z.ZodType<Json>;

/*
 * Fields of requests. Scalars are converted before they are checked, as query strings need it anyway; arrays, objects and
 * null never are (protocol, conventions §6). Answers use plain zod types, because they are not to be converted.
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

export const text = textOf(z.string());
/** The ordinary alphabet with its padding; a secret of more than 128 bytes would only be hashed first (RFC 2104). */
export const base64 = textOf(z.base64().min(1).max(172));
export const filledText = textOf(z.string().min(1));
export const flag = z.preprocess(asBoolean, z.boolean());
/** A query's `true` or `false`, spelled out. */
export const flagText = z.enum(['true', 'false']).transform((word) => word === 'true');
/** An instant between 1970 and the end of the year 9999, which ISO 8601 texts can tell. */
export const millis = numberOf(z.number().int().min(0).max(253_402_300_799_999));

/** Versions 1 to 5 and the nil UUID in any case; handed on in lower case, as streams are named. */
const uuidForm =
  /^([0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|00000000-0000-0000-0000-000000000000)$/i;
const plainUuid = z.string().regex(uuidForm, 'must be a UUID').toLowerCase();
export const uuid = textOf(plainUuid);
/** A user's id; `me` is replaced by the signed-in user's before anything else is checked. */
export const userId = textOf(plainUuid).meta({ description: 'a UUID, or `me` for the signed-in user' });

/** Whatever a standard URL parser takes, without spaces. */
const isUrl = (value: string) => !/\s/.test(value) && URL.canParse(value);
const plainUrl = z.string().refine(isUrl, 'must be an absolute URL without spaces');
export const url = textOf(plainUrl);
export const imageUrl = textOf(plainUrl.max(1_000_000));
export const webUrl = textOf(
  plainUrl.refine((value) => /^https?:\/\//.test(value), 'must begin with http:// or https://'),
);

/** Ordinary form, no top-level domain needed. 320 characters are the most that RFC 3696 allows. */
const plainEmail = z.string().max(320).regex(z.regexes.html5Email, 'must be an e-mail address');
export const email = textOf(plainEmail);

/** An address that people sign in with: stricter, so that a slip of the keyboard is noticed (protocol, auth §0.2). */
function isSignInEmail(value: string): boolean {
  const at = value.lastIndexOf('@');
  const local = value.slice(0, at);
  const labels = value.slice(at + 1).split('.');
  const hasStrayDot = local.startsWith('.') || local.endsWith('.') || local.includes('..');
  return !hasStrayDot && labels.length > 1 && /^[a-z][a-z0-9-]*[a-z0-9]$/i.test(labels.at(-1) ?? '');
}
export const signInEmail = textOf(
  plainEmail.refine(isSignInEmail, 'must be an e-mail address with a full domain name'),
);

export const Success = z
  .object({ success: z.literal(true) })
  .meta({ id: 'Success', description: 'What every delete and every action without a result answers.' });
export type Success = z.infer<typeof Success>;

/** A list that is not paginated. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), is_paginated: z.literal(false) });
export type List<Item> = { items: Item[]; is_paginated: false };
