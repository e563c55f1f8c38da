import { randomUUID } from 'node:crypto';

/**
 * Replace large values during a fold, so that only those that the final state keeps are loaded. Nobody can guess one,
 * because each has a new random name.
 */
export type Placeholders<Origin> = {
  add(origin: Origin): string;
  /** The placeholders in `state`, with their origins. */
  findIn(state: unknown): ReadonlyMap<string, Origin>;
  /** A copy of `state` with values instead of placeholders. */
  replaceIn<S>(state: S, toValue: (origin: Origin) => unknown): S;
};

/** `known`: placeholders that the fold begins with. */
export function createPlaceholders<Origin>(known: ReadonlyMap<string, Origin>): Placeholders<Origin> {
  let name: string | undefined;
  const origins = new Map(known);
  return {
    add: (origin) => {
      name ??= randomUUID();
      const placeholder = `large value ${origins.size} of ${name}`;
      origins.set(placeholder, origin);
      return placeholder;
    },
    findIn: (state) => {
      const found = new Map<string, Origin>();
      const collect = (text: string) => {
        const origin = origins.get(text);
        if (origin !== undefined) found.set(text, origin);
      };
      if (origins.size > 0) forEachText(state, collect);
      return found;
    },
    replaceIn: <S>(state: S, toValue: (origin: Origin) => unknown) => {
      const replace = (text: string) => {
        const origin = origins.get(text);
        return origin === undefined ? text : toValue(origin);
      };
      return mapTexts(state, replace) as S;
    },
  };
}

function forEachText(value: unknown, use: (text: string) => void): void {
  if (typeof value === 'string') use(value);
  if (value === null || typeof value !== 'object') return;
  const isCollection = Array.isArray(value) || value instanceof Set || value instanceof Map;
  for (const inner of isCollection ? value.values() : Object.values(value)) forEachText(inner, use);
}

/** Copies maps, sets, arrays and plain objects. */
function mapTexts(value: unknown, map: (text: string) => unknown): unknown {
  const mapped = (inner: unknown) => mapTexts(inner, map);
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map(mapped);
  if (value instanceof Map) return new Map([...value].map(([key, inner]) => [key, mapped(inner)]));
  if (value instanceof Set) return new Set([...value].map(mapped));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner)]));
}
