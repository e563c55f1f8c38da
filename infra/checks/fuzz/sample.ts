import type { Schema } from '../../docs/openapi-document.ts';
import type { Random } from './random.ts';

export type Shapes = Readonly<Record<string, Schema>>;

/** What valid requests can name: ids and secrets that exist, by the name of the field or parameter. */
export type Known = Readonly<Record<string, readonly string[]>>;

const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
export const nobody = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';

/** Texts that fields of these names accept, where the schema alone would not say. */
const byName: Readonly<Record<string, (random: Random) => string>> = {
  password: () => 'correct horse battery',
  old_password: () => 'correct horse battery',
  new_password: () => 'correct horse battery',
  callback_url: () => 'http://localhost/callback',
  verification_callback_url: () => 'http://localhost/verify',
  redirect_uri: () => 'http://localhost/redirect',
  error_redirect_url: () => 'http://localhost/error',
  profile_image_url: () => image,
  domain: (random) => `https://app-${random.below(50)}.example.com`,
  handler_path: () => '/handler',
  totp: () => '123456',
  totp_secret_base64: () => 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=',
  // A mail server that rejects at once: the run must not wait for names to be looked up.
  host: () => '127.0.0.1',
  grant_type: (random) => random.pick(['refresh_token', 'authorization_code']),
  scope: () => 'legacy',
  code_challenge: () => 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
};

/** A value that a schema allows, as far as the schema says. */
export function sample(schema: Schema, name: string, shapes: Shapes, known: Known, random: Random): unknown {
  if (schema.$ref) return sample(shapes[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name, shapes, known, random);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (options) return sample(random.pick(options), name, shapes, known, random);
  const types = [schema.type ?? []].flat();
  switch (types.length === 0 ? 'any' : random.pick(types)) {
    case 'string':
      return sampleText(schema, name, known, random);
    case 'integer':
    case 'number':
      return sampleNumber(schema, random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array': {
      const length = random.below(Math.min(schema.maxItems ?? 3, 3) + 1);
      return Array.from({ length }, () => sample(schema.items ?? {}, name, shapes, known, random));
    }
    case 'object':
      return sampleObject(schema, shapes, known, random);
    default:
      return random.pick([null, {}, [], 'text', 12, { nested: [{ deep: true }] }, true]);
  }
}

function sampleObject(schema: Schema, shapes: Shapes, known: Known, random: Random): Record<string, unknown> {
  const required = new Set(schema.required);
  const optional = random.below(4) / 3;
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name]) => required.has(name) || random.chance(optional),
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, sample(field, name, shapes, known, random)]));
}

function sampleText(schema: Schema, name: string, known: Known, random: Random): string {
  const existing = known[name] ?? [];
  if (existing.length > 0 && random.chance(0.8)) return random.pick(existing);
  const named = byName[name];
  if (named) return named(random);
  if (schema.format === 'uuid' || schema.pattern?.includes('[0-9a-f]{8}-')) return nobody;
  if (name.includes('email') || name === 'value') return `person-${random.below(400)}@example.com`;
  if (name.endsWith('url') || name.endsWith('uri')) return 'http://localhost/page';
  const length = Math.max(schema.minLength ?? 0, Math.min(schema.maxLength ?? 45, 45));
  const digits = 'abcdefghjkmnpqrstvwxyz0123456789';
  return Array.from({ length: random.chance(0.5) ? length : Math.max(schema.minLength ?? 1, 8) }, () =>
    digits.charAt(random.below(digits.length)),
  ).join('');
}

function sampleNumber({ minimum = 0, maximum = 4_102_444_800_000 }: Schema, random: Random): number {
  const [low, high] = [Math.max(minimum, 0), Math.min(maximum, 4_102_444_800_000)];
  return random.pick([low, high, low + random.below(Math.max(1, Math.min(high - low, 1_000)))]);
}
