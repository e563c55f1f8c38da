import type { Schema } from '../../docs/openapi-document.ts';
import { wrongValues } from './mutate.ts';
import type { FuzzedOperation } from './operations.ts';

/** A value that every field of every body is given once, whatever the seed. */
export type DirectedCase = { operation: FuzzedOperation; field: string; value: string };

/** Beside the values for every field: at and just over the greatest length that the field says it has. */
export function directedCases(
  operations: readonly FuzzedOperation[],
  shapes: Readonly<Record<string, Schema>>,
): DirectedCase[] {
  return operations.flatMap((operation) =>
    Object.entries(fieldsOf(operation.body ?? {}, shapes)).flatMap(([field, schema]) =>
      [...wrongValues, ...lengthsAround(schema)].map((value) => ({ operation, field, value })),
    ),
  );
}

function fieldsOf(schema: Schema, shapes: Readonly<Record<string, Schema>>): Record<string, Schema> {
  if (schema.$ref) return fieldsOf(shapes[schema.$ref.split('/').at(-1) ?? ''] ?? {}, shapes);
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return Object.assign({ ...schema.properties }, ...options.map((option) => fieldsOf(option, shapes)));
}

function lengthsAround(schema: Schema): string[] {
  const options = [schema, ...(schema.anyOf ?? [])];
  return options.flatMap(({ maxLength }) =>
    maxLength === undefined || maxLength > 100_000
      ? []
      : [maxLength, maxLength + 1].map((length) => JSON.stringify('x'.repeat(length))),
  );
}
