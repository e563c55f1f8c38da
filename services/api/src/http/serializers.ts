import { type Audience, viewsOf } from '@gatebook/contract/common';
import type { FastifySerializerCompiler, preSerializationHookHandler } from 'fastify';
import { z } from 'zod';
import type { AccessType } from '../access-type.ts';

type Schema = z.core.$ZodType;
export type Serializer = (body: unknown) => string;
type Serializers = Readonly<Record<AccessType, Serializer>>;

const compiled = new WeakMap<Schema, Serializers>();

/**
 * The serializers of a response, by access type of the caller. They send exactly the fields that the schema declares.
 * They don't check values, so a stored value that no longer fits its schema can still be read and repaired. Tests
 * parse every response with its schema (docs/decisions/0059).
 * @throws Error for a schema whose fields depend on a check of values
 */
export function serializersOf(schema: Schema): Serializers {
  const known = compiled.get(schema);
  if (known) return known;
  const [client, server] = [compile(schema, 'client'), compile(schema, 'server')];
  const serializers = { client, server, admin: server };
  compiled.set(schema, serializers);
  return serializers;
}

/** Builds the body with object literals, because V8 is several times slower with keys in a loop. */
function compile(schema: Schema, audience: Audience): Serializer {
  const functions: string[] = [];
  const root = nameOf(schema, { audience, functions, names: new Map() });
  const select = new Function(`${functions.join('\n')}\nreturn ${root};`)() as (body: unknown) => unknown;
  return (body) => JSON.stringify(select(body)) ?? 'null';
}

/** For requests without a caller, which get what clients get. */
export const serializerCompiler: FastifySerializerCompiler<Schema> =
  ({ schema }) =>
  (body) =>
    serializersOf(schema).client(body);

/** Serializes what a route returns as its caller may see it. `responses`: schemas by status. */
export function serializeForCaller(responses: Readonly<Record<number, unknown>>): preSerializationHookHandler {
  return ({ caller }, reply, _body, done) => {
    const schema = responses[reply.statusCode];
    if (caller && schema instanceof z.ZodType) reply.serializer(serializersOf(schema)[caller.accessType]);
    done();
  };
}

type Writing = { audience: Audience; functions: string[]; names: Map<Schema, string> };

/** Writes the function that selects the declared fields of a value. @returns its name */
function nameOf(schema: Schema, writing: Writing): string {
  const known = writing.names.get(schema);
  if (known) return known;
  const expression = expressionOf(schema, writing);
  const name = `select${writing.names.size}`;
  writing.names.set(schema, name);
  writing.functions.push(`const ${name} = (value) => ${expression};`);
  return name;
}

function expressionOf(schema: Schema, writing: Writing): string {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return ifObject(`({ ${fieldsOf(def.shape, writing)} })`);
    case 'array':
      return `Array.isArray(value) ? value.map(${nameOf(def.element, writing)}) : null`;
    case 'record': {
      const item = nameOf(def.valueType, writing);
      return ifObject(`Object.fromEntries(Object.entries(value).map(([key, item]) => [key, ${item}(item)]))`);
    }
    case 'nullable':
    case 'optional':
      return `value === null || value === undefined ? value : ${nameOf(def.innerType, writing)}(value)`;
    case 'union':
      return choiceOf(schema, def.options, writing);
    case 'unknown':
      return 'value';
    case 'string':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'null':
      // An object could contain anything, so it is never sent in place of a scalar.
      return `typeof value === 'object' ? null : value`;
    case 'never':
      return 'null';
    default:
      throw new Error(`a response can't contain a schema of type ${def.type}`);
  }
}

const ifObject = (expression: string) => `typeof value === 'object' && value !== null ? ${expression} : null`;

function fieldsOf(shape: z.core.$ZodShape, writing: Writing): string {
  return Object.entries(shape)
    .map(([key, field]) => `${JSON.stringify(key)}: ${nameOf(field, writing)}(value[${JSON.stringify(key)}])`)
    .join(', ');
}

/** By access type, by a literal that all views declare, or by a required field that no later view has. */
function choiceOf(schema: Schema, options: readonly Schema[], writing: Writing): string {
  const view = viewsOf(schema)?.[writing.audience];
  if (view) return `${nameOf(view, writing)}(value)`;
  if (options.every((option) => !isObject(option))) return `typeof value === 'object' ? null : value`;
  return options
    .map((option, nth) => {
      const expression = `${nameOf(option, writing)}(value)`;
      return nth === options.length - 1
        ? expression
        : `${conditionOf(option, options.slice(nth + 1))} ? ${expression} : `;
    })
    .join('');
}

const isObject = (schema: Schema): schema is z.core.$ZodObject => schema._zod.def.type === 'object';

function conditionOf(option: Schema, later: readonly Schema[]): string {
  const [shape, ...laterShapes] = [option, ...later].map((schema) => (isObject(schema) ? schema._zod.def.shape : {}));
  for (const [key, field] of Object.entries(shape ?? {})) {
    const value = `value?.[${JSON.stringify(key)}]`;
    const literal = literalOf(field);
    const others = laterShapes.map((other) => literalOf(other[key]));
    if (literal !== undefined && others.every((other) => other !== undefined && other !== literal)) {
      return `${value} === ${literal}`;
    }
    const isRequired = field._zod.optout === undefined;
    if (isRequired && laterShapes.every((other) => !(key in other))) return `${value} !== undefined`;
  }
  throw new Error('the views of a union need different literals, or required fields that later views lack');
}

/** The JSON of a literal's only value. */
function literalOf(field: Schema | undefined): string | undefined {
  const { def } = (field as z.core.$ZodTypes | undefined)?._zod ?? {};
  return def?.type === 'literal' && def.values.length === 1 ? JSON.stringify(def.values[0]) : undefined;
}
