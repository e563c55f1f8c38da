import { maxBytesKey } from '@gatebook/contract/common';
import { beforeAll, describe, expect, test } from 'vitest';
import { type OpenApi, openApiDocument, type Schema } from './openapi-document.ts';

/*
 * Every part of a request has a documented greatest size: what is missing here could be stored at any length.
 */

let document: OpenApi;
beforeAll(async () => {
  document = await openApiDocument();
});

/** Formats whose texts have a length by themselves. */
const boundedFormats = ['uuid', 'date', 'date-time'];

/** Inputs that are read and dropped, never stored: the body's own limit is enough. */
const freeInputs = [
  'POST /api/v1/auth/oauth/token body.*',
  'POST /api/v1/auth/oauth/callback/{provider} body.*',
  'POST /api/v1/check-feature-support body',
];

function unboundedParts(schema: Schema, path: string): string[] {
  if (schema.$ref) return unboundedParts(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, path);
  if (schema.const !== undefined || schema.enum) return [];
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (options) return options.flatMap((option) => unboundedParts(option, path));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return schema[maxBytesKey] === undefined ? [path] : [];
  return types.flatMap((type) => {
    switch (type) {
      case 'string':
        return schema.maxLength === undefined && !boundedFormats.includes(schema.format ?? '') ? [path] : [];
      case 'array':
        return [...(schema.maxItems === undefined ? [path] : []), ...unboundedParts(schema.items ?? {}, `${path}[]`)];
      case 'object':
        return unboundedFields(schema, path);
      default:
        return [];
    }
  });
}

function unboundedFields({ properties = {}, additionalProperties, ...schema }: Schema, path: string): string[] {
  const named = Object.entries(properties).flatMap(([name, field]) => unboundedParts(field, `${path}.${name}`));
  if (additionalProperties === false) return named;
  const isCounted = schema.maxProperties !== undefined && schema.propertyNames?.maxLength !== undefined;
  const others = typeof additionalProperties === 'object' ? additionalProperties : {};
  return [...named, ...(isCounted ? [] : [`${path}.*`]), ...unboundedParts(others, `${path}.*`)];
}

test('every text, list and free-form value of a request has a maximum size', () => {
  const found = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
      const call = `${method.toUpperCase()} ${path}`;
      const bodies = Object.values(requestBody?.content ?? {}).map(({ schema = {} }) => schema);
      return [
        ...parameters.flatMap(({ name, schema = {} }) => unboundedParts(schema, `${call} ${name}`)),
        ...bodies.flatMap((schema) => unboundedParts(schema, `${call} body`)),
      ];
    }),
  );
  expect([...new Set(found)].sort()).toEqual(freeInputs.toSorted());
});

describe('the check for unbounded inputs', () => {
  test.each<[string, Schema]>([
    ['a text', { type: 'string' }],
    ['a nullable text', { type: ['string', 'null'] }],
    ['a text of a pattern', { type: 'string', pattern: '^[a-z]+$' }],
    ['a list', { type: 'array', items: { type: 'boolean' } }],
    ['a text in a list', { type: 'array', maxItems: 2, items: { type: 'string' } }],
    ['one of several forms', { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'string' }] }],
    ['a free value', {}],
    ['a free field', { type: 'object', properties: {} }],
    ['a table of texts', { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } }],
  ])('finds %s', (_what, schema) => {
    expect(unboundedParts(schema, 'x')).not.toEqual([]);
  });
});
