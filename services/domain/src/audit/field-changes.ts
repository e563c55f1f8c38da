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
  const changes: FieldChange[] = [];
  const compare = (field: string): void => {
    const old = before.get(field);
    const current = after.get(field);
    if (old && current && areEqual(old.value, current.value)) return;
    // An empty object or list that gets entries, or has lost them all, is told by its entries.
    if (isEmpty(old) && isEmpty(current) && (hasEntries(before, field) || hasEntries(after, field))) return;
    const isRedacted = Boolean(old?.isSecret ?? current?.isSecret);
    changes.push({ field, before: shown(old, digest), after: shown(current, digest), isRedacted });
  };
  // Entries would be arrays, of every field of every event of an export.
  for (const field of before.keys()) compare(field);
  for (const field of after.keys()) if (!before.has(field)) compare(field);
  return changes;
}

function hasEntries(fields: Fields, field: string): boolean {
  const [ofKey, ofEntry] = [`${field}.`, `${field}[`];
  for (const name of fields.keys()) if (name.startsWith(ofKey) || name.startsWith(ofEntry)) return true;
  return false;
}

function shown(field: Field | undefined, digest: Digest): Json {
  if (field === undefined) return null;
  return field.isSecret ? redacted : withoutLarge(field.value, digest);
}

export function withoutLarge(value: Json, digest: Digest): Json {
  if (isSmall(value)) return value;
  const json = JSON.stringify(value);
  return json.length > maxValueLength ? digest(json) : value;
}

/** Most values are, so their JSON is not written. In JSON, a character takes at most six. */
const isSmall = (value: Json) =>
  typeof value === 'string' ? value.length * 6 + 2 <= maxValueLength : !isComposite(value);

const isComposite = (value: Json): value is Json & object => typeof value === 'object' && value !== null;

/** Of a field that is missing, or an object or list without entries. */
const isEmpty = (field: Field | undefined) =>
  field === undefined || (isComposite(field.value) && Object.keys(field.value).length === 0);

const areEqual = (one: Json, other: Json) =>
  one === other ||
  (isComposite(one) && isComposite(other) && JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)));

/** The same order of keys, whatever wrote them. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as { readonly [key: string]: Json });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, sorted(child)]));
}
