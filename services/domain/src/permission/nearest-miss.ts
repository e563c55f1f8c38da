import type { PermissionHistory } from './history.ts';

/** What a path lacks. Less is nearer, compared in this order. */
type Lack = {
  /** Steps that do not hold. */
  missing: number;
  /** Steps that never held. */
  new: number;
  steps: number;
  /** The position at which the grant ended, negated, so that the latest is nearest. */
  age: bigint;
};

const isNearer = (one: Lack, other: Lack): boolean => {
  if (one.missing !== other.missing) return one.missing < other.missing;
  if (one.new !== other.new) return one.new < other.new;
  if (one.steps !== other.steps) return one.steps < other.steps;
  return one.age < other.age;
};

/** The keys of the path from a grant to the target that lacks least, whether the grant exists, existed, or could. */
export function findNearestMiss(history: PermissionHistory, target: string): readonly string[] {
  const { grants, grantedByJoining, membership } = history;
  const isOutside = membership?.holds === false;
  let nearest: { keys: readonly string[]; lack: Lack } | null = null;
  for (const { keys, missing } of nearestContainers(history, target)) {
    const [first = ''] = keys;
    const grant = grants.get(first);
    const comes = isOutside && grantedByJoining.includes(first);
    if (!grant && !comes && first !== target) continue;
    const isMissing = !grant?.holds && !comes;
    const lack = {
      missing: missing + Number(isMissing),
      new: Number(isMissing && !grant),
      steps: keys.length,
      age: -(grant?.until?.position ?? 0n),
    };
    if (!nearest || isNearer(lack, nearest.lack)) nearest = { keys, lack };
  }
  return nearest?.keys ?? [target];
}

/** For each key that contains or contained the target, the way with the fewest missing steps (Dijkstra). */
function nearestContainers({ contained }: PermissionHistory, target: string) {
  const containers = new Map<string, { key: string; missing: number }[]>();
  for (const [container, edges] of contained) {
    for (const [key, { holds }] of edges) {
      containers.set(key, [...(containers.get(key) ?? []), { key: container, missing: Number(!holds) }]);
    }
  }
  type Way = { keys: readonly string[]; missing: number };
  const open = new Map<string, Way>([[target, { keys: [target], missing: 0 }]]);
  const settled = new Map<string, Way>();
  const isShorter = (one: Way, other: Way) =>
    one.missing < other.missing || (one.missing === other.missing && one.keys.length < other.keys.length);
  while (open.size > 0) {
    const [key, way] = [...open].reduce((best, next) => (isShorter(next[1], best[1]) ? next : best));
    open.delete(key);
    settled.set(key, way);
    for (const container of containers.get(key) ?? []) {
      if (settled.has(container.key)) continue;
      const longer = { keys: [container.key, ...way.keys], missing: way.missing + container.missing };
      const known = open.get(container.key);
      if (!known || isShorter(longer, known)) open.set(container.key, longer);
    }
  }
  return settled.values();
}
