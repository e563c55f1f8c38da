/** A field that changed again. `path`: the keys that lead to it. */
export type ValueConflict = { path: readonly string[]; restored: unknown; current: unknown };

/** JSON, or undefined where there is no value. */
type Value = unknown;
type Tree = Readonly<Record<string, Value>>;

/**
 * Takes a change back from a value that may have changed elsewhere since: a three-way merge. `before` and `after` are
 * the value around the change. Objects are restored key by key, everything else as a whole.
 */
export function restoreValue(
  { before, after, current }: { before: Value; after: Value; current: Value },
  path: readonly string[] = [],
): { value: Value; conflicts: readonly ValueConflict[] } {
  if (isSameValue(before, after) || isSameValue(current, before)) return { value: current, conflicts: [] };
  if (isSameValue(current, after)) return { value: before, conflicts: [] };
  if (!isTree(before) || !isTree(after) || !isTree(current)) {
    return { value: current, conflicts: [{ path, restored: before, current }] };
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(current)]);
  const restored = [...keys].map((key) => {
    const inner = { before: own(before, key), after: own(after, key), current: own(current, key) };
    return [key, restoreValue(inner, [...path, key])] as const;
  });
  const values = restored.map(([key, { value }]) => [key, value] as const).filter(([, value]) => value !== undefined);
  return { value: Object.fromEntries(values), conflicts: restored.flatMap(([, { conflicts }]) => conflicts) };
}

const own = (tree: Tree, key: string): Value => (Object.hasOwn(tree, key) ? tree[key] : undefined);

const isTree = (value: Value): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Equal as JSON, whatever the order of keys. */
export const isSameValue = (one: Value, other: Value): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTree(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
