import type { EventDefinition } from '../event.ts';
import { type Digest, redacted, withoutLarge } from './field-changes.ts';
import type { Json } from './fields.ts';

/**
 * Fields of events, whatever the type, that are secrets or from which one follows: hashes that can be guessed at,
 * tokens, texts with links.
 */
export const secretFields: ReadonlySet<string> = new Set([
  'accessToken',
  'accountRef',
  'addressRef',
  'addressRefs',
  'callbackUrl',
  'codeHash',
  'codeId',
  'encryptedPayload',
  'granted',
  'hash',
  'headers',
  'override',
  'passkey',
  'passwordHash',
  'payload',
  'publishableClientKey',
  'refreshToken',
  'refreshTokenHash',
  'secret',
  'secretServerKey',
  'secrets',
  'superSecretAdminKey',
  'url',
  'variables',
]);

/** Texts that somebody wrote to people. */
const writtenTexts: ReadonlySet<string> = new Set(['html']);

/** The data of an event as the audit log shows it. */
export function shownData(data: Readonly<Record<string, unknown>>, digest: Digest): Record<string, Json> {
  const shown: Record<string, unknown> = { ...data };
  for (const field of Object.keys(shown)) shown[field] = shownValue(field, shown[field], digest);
  return shown as Record<string, Json>;
}

function shownValue(field: string, value: unknown, digest: Digest): Json {
  if (value === null || value === undefined) return null;
  if (secretFields.has(field)) return redacted;
  if (writtenTexts.has(field)) return digest(JSON.stringify(value));
  const isContent = field === 'content' && typeof value === 'object';
  return withoutLarge(isContent ? shownData({ ...value }, digest) : (value as Json), digest);
}

/** The data without the personal fields of an erased subject, whose key may not be destroyed yet. */
export function withoutErased(
  data: Readonly<Record<string, unknown>>,
  { personal }: Pick<EventDefinition, 'personal'>,
  isErased: (subjectId: string) => boolean,
): Readonly<Record<string, unknown>> {
  if (!personal || !isErased(String(data[personal.subject]))) return data;
  return { ...data, ...Object.fromEntries(personal.fields.map((field) => [field, null])) };
}
