export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A secret's value serves only to tell whether it changed. */
export type Field = { value: Json; isSecret?: true };
/** What the API shows of an object, by the name of the field: `display_name`, `client_metadata.plan`. */
export type Fields = ReadonlyMap<string, Field>;

/** Fields by name: one without a value is left out. */
export type FieldsBuilder = {
  add(name: string, value: unknown): void;
  /** One field per leaf: `client_metadata.plan`. Entries of a list are named by their `id` if they have one. */
  addTree(name: string, value: unknown, options?: { secretKeys?: RegExp }): void;
  addSecret(name: string, value: unknown): void;
  fields: Fields;
};

const plainKey = /^[^\s."[\]]+$/;

export function buildFields(): FieldsBuilder {
  const fields = new Map<string, Field>();
  const add = (name: string, value: unknown, isSecret = false) => {
    if (value === null || value === undefined) return;
    fields.set(name, { value: value as Json, ...(isSecret && { isSecret }) });
  };

  function addTree(name: string, value: unknown, secretKeys: RegExp | undefined, isSecret = false): void {
    const entries = entriesOf(value);
    if (entries === null) add(name, value, isSecret);
    for (const [key, child] of entries ?? []) {
      const path = plainKey.test(key) ? `${name}.${key}` : `${name}[${JSON.stringify(key)}]`;
      addTree(path, child, secretKeys, isSecret || secretKeys?.test(key));
    }
  }

  return {
    add: (name, value) => add(name, value),
    addTree: (name, value, { secretKeys } = {}) => addTree(name, value, secretKeys),
    addSecret: (name, value) => add(name, value, true),
    fields,
  };
}

/** null for a leaf, such as an empty object. */
function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return Object.keys(value).length === 0 ? null : Object.entries(value);
  const entries = value.flatMap((entry) => (hasId(entry) ? [[entry.id, restOf(entry)] as const] : []));
  const isKeyed = entries.length === value.length && new Set(entries.map(([id]) => id)).size === value.length;
  return isKeyed && value.length > 0 ? entries : null;
}

const hasId = (entry: unknown): entry is { id: string } =>
  typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'string';

const restOf = ({ id: _, ...rest }: { id: string }): unknown => rest;

/** Keys of a record as the API writes them. */
export function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [snakeCase(key), inSnakeCase(child)]));
}

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const millisOf = (time: string | null): number | null => (time === null ? null : Date.parse(time));
