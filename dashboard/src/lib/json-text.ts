import type { FieldChange } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

type Json = FieldChange['before'];
/** Where JSON is wrong, counted from 1. `offset`: from the beginning of the text, from 0. */
export type JsonFault = { message: string; line: number; column: number; offset: number };

/** No text is null, the value of metadata that was never set. */
export function parseJsonText(text: string): { value: Json; fault: null } | { value: undefined; fault: JsonFault } {
  if (text.trim() === '') return { value: null, fault: null };
  try {
    return { value: JSON.parse(text), fault: null };
  } catch {
    return { value: undefined, fault: findFault(text) };
  }
}

export const toJsonText = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2);

/** Size as the API counts it: of compact JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

type Place = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end';
const expectations: Readonly<Record<Place, string>> = {
  value: t`Enter a value`,
  'value or ]': t`Enter a value or ]`,
  key: 'Enter a name in double quotes',
  'key or }': t`Enter a name in double quotes or }`,
  ':': t`Enter a colon after the name`,
  ', or ]': t`Enter a comma or ]`,
  ', or }': t`Enter a comma or }`,
  end: t`Nothing can follow the value`,
};
const token =
  /[\t\n\r ]*(?:([[\]{},:])|("(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/uy;

/** Browsers name the place of a fault differently, or not at all. */
function findFault(text: string): JsonFault {
  const open: ('[' | '{')[] = [];
  let place: Place = 'value';
  let offset = 0;
  const afterValue = (): Place => {
    const inside = open.at(-1);
    return inside === undefined ? 'end' : inside === '[' ? ', or ]' : ', or }';
  };
  for (;;) {
    token.lastIndex = offset;
    const [whole, sign, string] = token.exec(text) ?? [];
    const next: Place | 'after value' | null =
      whole === undefined ? null : followingPlace(place, { sign, isString: string !== undefined }, open);
    if (next === null) return faultAt(text, place, offset);
    place = next === 'after value' ? afterValue() : next;
    offset += whole?.length ?? 0;
  }
}

type Token = { sign: string | undefined; isString: boolean };

/** null if the token cannot be at this place. */
function followingPlace(place: Place, { sign, isString }: Token, open: ('[' | '{')[]): Place | 'after value' | null {
  if (place.startsWith('value')) {
    if (sign === undefined) return 'after value';
    if (sign === '[' || sign === '{') {
      open.push(sign);
      return sign === '[' ? 'value or ]' : 'key or }';
    }
  }
  if (place.startsWith('key') && isString) return ':';
  if (place === ':' && sign === ':') return 'value';
  if (place.endsWith(`or ${sign}`)) {
    open.pop();
    return 'after value';
  }
  if (sign === ',' && place === ', or ]') return 'value';
  return sign === ',' && place === ', or }' ? 'key' : null;
}

function faultAt(text: string, place: Place, from: number): JsonFault {
  const offset = from + (/^[\t\n\r ]*/.exec(text.slice(from))?.[0].length ?? 0);
  const lines = text.slice(0, offset).split('\n');
  return { message: expectations[place], line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, offset };
}

/** What differs, by path as in `plan.seats`. Lists are compared as a whole. A null that is added or removed is text. */
export function diffJson(before: Json, after: Json, field = ''): FieldChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => {
      const path = field === '' ? name : `${field}.${name}`;
      const [one, other] = [own(before, name), own(after, name)];
      if (one === undefined && other === null) return [{ field: path, before: null, after: 'null', isRedacted: false }];
      if (one === null && other === undefined) return [{ field: path, before: 'null', after: null, isRedacted: false }];
      return diffJson(one ?? null, other ?? null, path);
    });
  }
  return [{ field: field === '' ? 'value' : field, before, after, isRedacted: false }];
}

/** Metadata may have a field called `constructor`. */
const own = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

type JsonObject = { [key: string]: Json };
const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
