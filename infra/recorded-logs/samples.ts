import { createHash } from 'node:crypto';
import { catalog } from '@gatebook/domain/catalog';
import type { DomainEvent } from '@gatebook/domain/event';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import { type JsonSchema, schemaOf } from './schemas.ts';

/** `full`: every field has a value. `sparse`: fields are null, empty or absent where the schema allows it. */
type Kind = 'full' | 'sparse';

/** Two events of each type, made from their schemas, so that a new type needs no code here. */
export function sampleEvents(): readonly DomainEvent[] {
  return Object.entries(catalog).flatMap(([type, definition]) =>
    (['full', 'sparse'] as const).map((kind) => ({
      type,
      data: sampleOf(schemaOf(definition), kind, `${type} ${kind}`) as Record<string, unknown>,
    })),
  );
}

function sampleOf(schema: JsonSchema, kind: Kind, name: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf ?? alternatives(schema);
  if (options) {
    const nothing = options.find(({ type }) => type === 'null');
    const something = options.find(({ type }) => type !== 'null');
    return kind === 'sparse' && nothing ? null : sampleOf(something ?? {}, kind, name);
  }
  if (schema.type === 'object') return objectOf(schema, kind, name);
  if (schema.type === 'array') return kind === 'sparse' ? [] : [sampleOf(schema.items ?? {}, kind, `${name} item`)];
  if (schema.type === 'string') return textOf(schema, name);
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1);
  if (schema.type === 'boolean') return kind === 'full';
  if (schema.type === 'null') return null;
  // Any JSON.
  return kind === 'sparse' ? null : { text: 'ä\u2028"', list: [1, null, true] };
}

/** The schemas of `type: ["string", "null"]`. */
const alternatives = (schema: JsonSchema): readonly JsonSchema[] | undefined =>
  Array.isArray(schema.type) ? schema.type.map((type: string) => ({ ...schema, type })) : undefined;

function objectOf(
  { properties, propertyNames, additionalProperties, required = [] }: JsonSchema,
  kind: Kind,
  name: string,
) {
  const fields = Object.entries(properties ?? {}).filter(([field]) => kind === 'full' || required.includes(field));
  if (properties === undefined && kind === 'full' && typeof additionalProperties === 'object')
    return { [keyOf(propertyNames)]: sampleOf(additionalProperties, kind, `${name} value`) };
  return Object.fromEntries(fields.map(([field, schema]) => [field, sampleOf(schema, kind, `${name} ${field}`)]));
}

const keyOf = (names: JsonSchema | undefined) => String(names?.enum?.[0] ?? 'key');

function textOf({ format }: JsonSchema, name: string): string {
  if (format === 'date-time') return fixedTime;
  if (format === 'uuid') return uuidOf(name);
  if (format === 'uri') return 'https://example.com/';
  return `${name}`;
}

function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
