import { maxBytesKey } from '@gatebook/contract/common';
import type { Operation, Schema } from './openapi.ts';

export const methods = ['get', 'post', 'patch', 'put', 'delete'] as const;
const places = ['path', 'query', 'header'];
const uuidPattern = '[0-9a-f]{8}-';

/** The anchor that Markdown gives a heading. */
export const slug = (heading: string) => heading.toLowerCase().replaceAll(' ', '-');

/** The document has two schemas per shape, for requests and responses, even if they are equal. */
export const shownName = (name: string) => name.replace(/Input$/, '');

/** Parameters by place. The key of idempotent writes is explained once, for all of them. */
export const shownParameters = ({ parameters = [] }: Operation) =>
  parameters
    .filter(({ name }) => name !== 'idempotency-key')
    .toSorted((one, other) => places.indexOf(one.in) - places.indexOf(other.in));

/** A type in Markdown, with links to `#shape-…`. Adds the schemas that it names to `used`. */
export function typeOf(schema: Schema, used: Set<string>): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    used.add(name);
    return `[${shownName(name)}](#shape-${slug(shownName(name))})`;
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(' or ');
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (options) return [...new Set(options.map((option) => typeOf(option, used)))].join(' or ');
  const type = [schema.type ?? []].flat();
  if (type.includes('array')) return `list of ${typeOf(schema.items ?? {}, used)}${limits(schema, 'entries')}`;
  if (type.includes('object') && schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, value]) => `${name}: ${typeOf(value, used)}`);
    if (fields.length === 0) return 'empty object';
    return `{ ${fields.join(', ')} }`;
  }
  if (type.length === 0) {
    const maxBytes = schema[maxBytesKey];
    return maxBytes === undefined ? 'any JSON' : `any JSON (at most ${maxBytes} bytes)`;
  }
  return `${type.map((one) => wordFor(one, schema)).join(' or ')}${limits(schema, 'characters')}`;
}

function wordFor(type: string, { format, pattern }: Schema): string {
  if (type !== 'string') return type === 'null' ? 'null' : type;
  if (format === 'uuid' || pattern?.includes(uuidPattern)) return 'UUID';
  return format ?? 'text';
}

/** Limits beyond those of the type. */
function limits({ minimum, maximum, minLength, maxLength, maxItems, pattern }: Schema, unit: string): string {
  if (pattern?.includes(uuidPattern)) return '';
  const most = maxLength ?? maxItems;
  const words = [
    minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && `at least ${minimum}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `at most ${maximum}`,
    minLength !== undefined && minLength > 0 && minLength !== most && 'not empty',
    most !== undefined && (minLength === most ? `${most} ${unit}` : `at most ${most} ${unit}`),
  ].filter(Boolean);
  return words.length > 0 ? ` (${words.join(', ')})` : '';
}

/** The type already describes fields that accept any value. */
export const notesOn = ({ description = '' }: Schema) => (description.startsWith('any JSON value') ? '' : description);
