import { Readable } from 'node:stream';
import { maxBytesKey } from '@gatebook/contract/common';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bodySizes } from '../http/body.ts';
import { nameOf, type Route, urlOf } from '../http/define-route.ts';
import { startSuite } from '../testing/suite.ts';
import { routes } from './all.ts';

type Schema = z.core.JSONSchema.BaseSchema & { [maxBytesKey]?: number };

/** Clients may escape every UTF-16 code unit, as in `\u00e9`. Nobody escapes ASCII, as formats and patterns require. */
const bytesPerUnit = 6;
const boundedFormats = ['uuid', 'date', 'date-time'];
const sizeOfUuid = 38;
const sizeOfNumber = 24;

/** Bytes of the largest value of a schema, as compact JSON. */
function largestOf(schema: Schema, definitions: Record<string, Schema>): number {
  const inner = (one: unknown) => largestOf(one as Schema, definitions);
  if (schema.$ref) return inner(definitions[schema.$ref.split('/').at(-1) ?? '']);
  if (schema.const !== undefined) return JSON.stringify(schema.const).length;
  if (schema.enum) return Math.max(...schema.enum.map((value) => JSON.stringify(value).length));
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return Math.max(...options.map(inner));
  const free = schema[maxBytesKey];
  if (free !== undefined) return free;
  switch (schema.type) {
    case 'string':
      return largestText(schema);
    case 'array':
      return 2 + (schema.maxItems ?? Number.POSITIVE_INFINITY) * (inner(schema.items) + 1);
    case 'object':
      return largestObject(schema, inner);
    case undefined:
      return Number.POSITIVE_INFINITY;
    default:
      return sizeOfNumber;
  }
}

function largestText({ maxLength, format, pattern }: Schema): number {
  if (maxLength === undefined) return boundedFormats.includes(format ?? '') ? sizeOfUuid : Number.POSITIVE_INFINITY;
  return 2 + maxLength * (format || pattern ? 1 : bytesPerUnit);
}

function largestObject(schema: Schema, inner: (one: unknown) => number): number {
  const named = Object.entries(schema.properties ?? {}).map(([name, field]) => name.length + 4 + inner(field));
  const fields = named.reduce((sum, bytes) => sum + bytes, 2);
  const others = schema.additionalProperties;
  if (typeof others !== 'object' || Object.keys(others).length === 0) return fields;
  const { maxProperties = Number.POSITIVE_INFINITY, propertyNames } = schema;
  return fields + maxProperties * (inner(propertyNames ?? {}) + 2 + inner(others));
}

/** The largest body of any access type; 0 for a route that ignores bodies. */
function largestBodyOf({ body, bodyFor = {} }: Route): number {
  const bodies = [body, ...Object.values(bodyFor)].filter((schema) => schema !== undefined);
  return Math.max(
    0,
    ...bodies.map((schema) => {
      const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
      return largestOf(json, { ...(json.$defs as Record<string, Schema>), '#': json });
    }),
  );
}

const limitOf = ({ bodySize = 'small' }: Route) => bodySizes[bodySize];
const writes = routes.filter(({ method }) => method !== 'GET');
/** What these routes receive is dropped, so their schemas have no bound. */
const dropping = ['POST /api/v1/check-feature-support', 'POST /api/v1/analytics/events/batch'];

describe('the size of bodies', () => {
  test.each(writes.filter((route) => !dropping.includes(nameOf(route))).map((route) => [nameOf(route), route]))(
    '%s has the smallest one that fits its largest body',
    (_name, route) => {
      const largest = largestBodyOf(route);
      const smallest = Object.values(bodySizes).find((bytes) => bytes >= largest) ?? bodySizes.large;
      expect(limitOf(route)).toBe(smallest);
    },
  );

  test('the largest image and the largest metadata of a client fit together', () => {
    const profile = {
      profile_image_url: `data:image/png;base64,${'A'.repeat(1_000_000 - 22)}`,
      client_metadata: 'x'.repeat(65_534),
      client_read_only_metadata: 'x'.repeat(65_534),
      server_metadata: 'x'.repeat(65_534),
    };
    expect(JSON.stringify(profile).length).toBeLessThan(bodySizes.large);
  });
});

describe('a body that is too large', async () => {
  const { api } = await startSuite();

  const send = async (route: Route, payload: string | Readable) => {
    const { method } = route;
    const url = urlOf(route).replace(/:\w+/g, '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e');
    // Some routes are for older clients only.
    const headers = { 'content-type': 'application/json', 'x-stack-client-version': 'js @stackframe/js@2.8.3' };
    const answer = await api.app.inject({ method: method as 'POST', url, headers, payload });
    return [answer.statusCode, answer.json().code, answer.json().error];
  };
  const tooLarge = (route: Route) => [
    400,
    'BODY_PARSING_ERROR',
    expect.stringContaining(`larger than ${limitOf(route)} bytes`),
  ];

  test.each(writes.map((route) => [nameOf(route), route]))('is rejected unparsed by %s', async (_name, route) => {
    const notJson = (bytes: number) => 'x'.repeat(bytes);
    expect(await send(route, notJson(limitOf(route) + 1))).toEqual(tooLarge(route));
    const parsed = [400, 'BODY_PARSING_ERROR', expect.stringContaining('not valid JSON')];
    expect(await send(route, notJson(limitOf(route)))).toEqual(parsed);
  });

  test('is rejected while it arrives without a length', async () => {
    const [route] = writes;
    if (!route) throw new Error('there are no writes');
    const chunks = Array.from({ length: 5 }, () => Buffer.alloc(limitOf(route) / 4, 'x'));
    expect(await send(route, Readable.from(chunks))).toEqual(tooLarge(route));
  });
});
