import { type Audience, viewsByAccess, viewsOf } from '@gatebook/contract/common';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../routes/all.ts';
import { newEmail, unknownId } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';
import { nameOf } from './define-route.ts';
import { serializersOf } from './serializers.ts';

const { api, send } = await startSuite();
const seed = 20261123;
const uuid = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';
/** In every object, without a place in any schema. */
const undeclared = { undeclared_secret: { text: 'zq7secret' } };

/** Values of a schema as an audience may see them, with an undeclared field in every object. */
function valuesOf(schema: z.core.$ZodType, audience: Audience): fc.Arbitrary<unknown> {
  const of = (inner: z.core.$ZodType) => valuesOf(inner, audience);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return objectsOf(def.shape, of);
    case 'array':
      return def.element._zod.def.type === 'never' ? fc.constant([]) : fc.array(of(def.element), { maxLength: 3 });
    case 'record':
      return fc.dictionary(fc.string(), of(def.valueType), { maxKeys: 3, noNullPrototype: true });
    case 'nullable':
      return fc.option(of(def.innerType), { nil: null });
    case 'optional':
      return fc.option(of(def.innerType), { nil: undefined });
    case 'union': {
      const view = viewsOf(schema)?.[audience];
      return view ? of(view) : fc.oneof(...def.options.map(of));
    }
    case 'unknown':
      return fc.jsonValue();
    case 'string':
      return textsOf(def);
    case 'number':
      return fc.integer({ min: 1 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'literal':
      return fc.constantFrom(...def.values);
    default:
      throw new Error(`no values of ${def.type}`);
  }
}

/** The fields stand in any order. */
function objectsOf(shape: z.core.$ZodShape, of: (inner: z.core.$ZodType) => fc.Arbitrary<unknown>) {
  const fields = Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, of(field)]));
  return fc
    .record({ ...fields, ...Object.fromEntries(Object.keys(undeclared).map((key) => [key, fc.constant(undeclared)])) })
    .map((value) => Object.fromEntries(Object.entries(value).reverse()));
}

/** Formats and checks of texts have patterns. */
function textsOf(def: {
  format?: string | undefined;
  pattern?: RegExp | undefined;
  checks?: readonly z.core.$ZodCheck[] | undefined;
}) {
  if (def.format === 'url') return fc.webUrl();
  const [pattern] = [def, ...(def.checks ?? []).map(({ _zod }) => _zod.def)].flatMap((part) =>
    'pattern' in part && part.pattern instanceof RegExp ? [part.pattern] : [],
  );
  return pattern === undefined ? fc.string({ unit: 'binary' }) : fc.stringMatching(pattern);
}

/** Each schema once, with the name of the first response that has it. */
const responses = routes
  .flatMap((route) =>
    Object.entries(route.response ?? {}).flatMap(([status, schema]) =>
      schema instanceof z.ZodType ? [{ name: `${nameOf(route)} ${status}`, schema }] : [],
    ),
  )
  .filter(({ schema }, nth, all) => all.findIndex((one) => one.schema === schema) === nth);

describe.each(responses)('the serializers of $name', ({ schema }) => {
  test.each(['client', 'server'] as const)('send to %s access what the schema makes of a value', (audience) => {
    const serialize = serializersOf(schema)[audience];
    fc.assert(
      fc.property(valuesOf(schema, audience), (value) => {
        expect(serialize(value)).toBe(JSON.stringify(schema.parse(value)));
      }),
      { seed, numRuns: 20 },
    );
  });
});

describe('a serializer', () => {
  const view = z.object({ id: z.uuid(), name: z.string(), tags: z.array(z.object({ id: z.string() })).optional() });
  const { client } = serializersOf(view);

  test('sends no field that the schema lacks, at any depth', () => {
    const value = { ...undeclared, name: 'a', id: uuid, tags: [{ id: 'b', ...undeclared }] };
    expect(client(value)).toBe(`{"id":"${uuid}","name":"a","tags":[{"id":"b"}]}`);
  });

  test('sends no object in place of a scalar, an array or an object', () => {
    const value = { id: undeclared, name: [undeclared], tags: { ...undeclared, 0: undeclared } };
    expect(client(value)).toBe('{"id":null,"name":null,"tags":null}');
    expect(client({ id: uuid, name: 'a', tags: [[undeclared], 'b', null] })).toBe(
      `{"id":"${uuid}","name":"a","tags":[{},null,null]}`,
    );
  });

  test('sends a value that breaks its format', () => {
    expect(client({ id: 'no UUID', name: null })).toBe('{"id":"no UUID","name":null}');
    expect(client(undefined)).toBe('null');
  });

  test('sends each audience its own view, also of a value with the fields of both', () => {
    const list = z.object({
      items: z.array(
        viewsByAccess({
          server: z.object({ id: z.string(), secret: z.string() }),
          client: z.object({ id: z.string() }),
        }),
      ),
    });
    const value = { items: [{ id: 'a', secret: 'b' }] };
    const serializers = serializersOf(list);
    expect(serializers.client(value)).toBe('{"items":[{"id":"a"}]}');
    expect(serializers.server(value)).toBe('{"items":[{"id":"a","secret":"b"}]}');
    expect(serializers.admin(value)).toBe(serializers.server(value));
  });

  test('does not exist for views that only a check could tell apart', () => {
    const either = z.union([z.object({ id: z.uuid() }), z.object({ id: z.string() })]);
    expect(() => serializersOf(either)).toThrow('views of a union');
  });
});

test('a row that breaks a format of its schema is sent, without the fields that the schema lacks', async () => {
  const user = await send('POST', '/users', { access: 'server', body: { primary_email: newEmail() } });
  const schema = api.deps.readModels.schema('main');
  const id = unknownId.replace('-4c7e-', '-0c7e-');
  await api.pool.query(`update ${schema}.contact_channels set id = $1`, [id]);
  const list = await send('GET', `/contact-channels?user_id=${user.body.id}`, { access: 'server' });
  expect(list.status).toBe(200);
  expect(list.body.items).toMatchObject([{ id, user_id: user.body.id }]);
  expect(api.responseFaults.splice(0)).toEqual([expect.stringContaining('Invalid UUID')]);
});
