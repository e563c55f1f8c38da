export type Json = string | number | boolean | null | readonly Json[] | Document;
export type Document = { readonly [key: string]: Json };
/**
 * One level of the configuration, as its author wrote it: a key is a path with dots, a value is a field or an object of
 * fields. A key replaces everything below its path. Null stands for the default, or removes an entry of a record.
 */
export type Layer = Document;

export const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isSameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
export const isAtOrBelow = (path: string, above: string): boolean => path === above || path.startsWith(`${above}.`);
const childOf = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** The layer after a change, whose keys replace what they are above. */
export function overrideLayer(layer: Layer, change: Layer): Layer {
  const changed = Object.keys(change);
  const kept = Object.entries(layer).filter(([key]) => !changed.some((above) => isAtOrBelow(key, above)));
  return { ...Object.fromEntries(kept), ...change };
}

/** The layer without these paths and everything below them. */
export function resetKeys(layer: Layer, keys: readonly string[]): Layer {
  const kept = Object.entries(layer).flatMap(([key, value]): [string, Json][] => {
    if (keys.some((above) => isAtOrBelow(key, above))) return [];
    const inner = keys.filter((path) => path.startsWith(`${key}.`)).map((path) => path.slice(key.length + 1));
    if (inner.length === 0 || !isObject(value)) return [[key, value]];
    const left = resetKeys(value, inner);
    return Object.keys(left).length > 0 ? [[key, left]] : [];
  });
  return Object.fromEntries(kept);
}

type Base = {
  defaults: Document;
  /** Whether a path is an entry of a record or below one: entries have no defaults. */
  isInRecord: (path: readonly string[]) => boolean;
  /** Whether a path is a record whose entries replace the default ones. */
  isReplaced: (path: readonly string[]) => boolean;
};

/** The document that these layers describe, the most specific layer last. */
export function resolveLayers(layers: readonly Layer[], base: Base): Document {
  const merged = layers.reduce(overrideLayer, {});
  const depthOf = (key: string) => key.split('.').length;
  return Object.entries(merged)
    .sort(([one], [other]) => depthOf(one) - depthOf(other))
    .reduce((document, [key, value]) => setAt(document, key.split('.'), value, base), base.defaults);
}

function setAt(document: Document, path: readonly string[], value: Json, base: Base): Document {
  const set = (current: Json | undefined, depth: number, defaults: Json | undefined): Json | undefined => {
    const key = path[depth];
    if (key === undefined) return withDefaults(value, path, defaults, base);
    const child = set(childOf(current, key), depth + 1, childOf(defaults, key));
    const others = Object.entries(isObject(current) ? current : {}).filter(([name]) => name !== key);
    return Object.fromEntries(child === undefined ? others : [...others, [key, child]]);
  };
  return set(document, 0, base.defaults) as Document;
}

function withDefaults(value: Json, path: readonly string[], defaults: Json | undefined, base: Base): Json | undefined {
  if (value === null) return base.isInRecord(path) ? undefined : defaults;
  if (!isObject(value)) return value;
  const isEntry = base.isInRecord(path);
  const given = Object.entries(value).flatMap(([key, inner]) => {
    const child = withDefaults(inner, [...path, key], isEntry ? undefined : childOf(defaults, key), base);
    return child === undefined ? [] : [[key, child]];
  });
  const left =
    isEntry || base.isReplaced(path) || !isObject(defaults)
      ? []
      : Object.entries(defaults).filter(([key]) => !Object.hasOwn(value, key));
  return Object.fromEntries([...left, ...given]);
}

/** What turns one document into the other, by path. */
export function findDifferences(before: Document, after: Document, path: readonly string[] = []): Layer {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...keys].flatMap((key): [string, Json][] => {
      const [old, current] = [childOf(before, key), childOf(after, key)];
      const inner = [...path, key];
      if (current === undefined) return [[inner.join('.'), null]];
      if (isObject(old) && isObject(current)) return Object.entries(findDifferences(old, current, inner));
      return isSameJson(old, current) ? [] : [[inner.join('.'), current]];
    }),
  );
}

/** Paths of the values in a layer: all that are not objects, and empty objects. */
export function pathsOf(layer: Layer, above = ''): string[] {
  return Object.entries(layer).flatMap(([key, value]) => {
    const path = `${above}${key}`;
    return isObject(value) && Object.keys(value).length > 0 ? pathsOf(value, `${path}.`) : [path];
  });
}
