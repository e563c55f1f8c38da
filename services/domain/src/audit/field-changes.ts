import type { Field, Fields, Json } from './fields.ts';

/** `before` and `after` as the API writes them; null: no value. */
export type FieldChange = { field: string; before: Json; after: Json; isRedacted: boolean };

/** Stands for a large value. `sha256`: of its JSON. */
export type LargeValue = { bytes: number; sha256: string };
export type Digest = (json: string) => LargeValue;

export const redacted = 'redacted';
/** Longer values are given by size and hash. */
const maxValueLength = 2_048;

/** The fields that differ, in the order of the object's fields, without secrets. */
export function fieldChanges(before: Fields, after: Fields, digest: Digest): readonly FieldChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  // An empty object or list that gets entries, or has lost them all, is told by its entries.
  const hasEntries = (field: string) =>
    names.some((name) => name.startsWith(`${field}.`) || name.startsWith(`${field}[`));
  return names.flatMap((field) => {
    const [old, current] = [before.get(field), after.get(field)];
    if ([old, current].every((one) => one === undefined || isEmpty(one.value)) && hasEntries(field)) return [];
    if (old && current && areEqual(old.value, current.value)) return [];
    const isRedacted = Boolean(old?.isSecret ?? current?.isSecret);
    return [{ field, before: shown(old, digest), after: shown(current, digest), isRedacted }];
  });
}

function shown(field: Field | undefined, digest: Digest): Json {
  if (field === undefined) return null;
  return field.isSecret ? redacted : withoutLarge(field.value, digest);
}

export function withoutLarge(value: Json, digest: Digest): Json {
  const json = JSON.stringify(value);
  return json.length > maxValueLength ? digest(json) : value;
}

const isEmpty = (value: Json) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const areEqual = (one: Json, other: Json) =>
  one === other || JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

/** The same order of keys, whatever wrote them. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as { readonly [key: string]: Json });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, sorted(child)]));
}
