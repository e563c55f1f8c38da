import { reject } from '../errors.ts';
import { expandPermissions, idsOf, withSystemPermissions } from './effective.ts';
import { type Fact, never } from './facts.ts';
import type { NamedDefinition, PermissionHistory } from './history.ts';
import { findNearestMiss } from './nearest-miss.ts';

/** `permissionId`: the current ID, or the last one of a deleted definition. */
export type Step = {
  kind: 'membership' | 'grant' | 'default_grant' | 'containment' | 'definition';
  permissionId: string | null;
  containedPermissionId: string | null;
  fact: Fact;
  /** Whether the answer would change if this step alone were different. */
  isDecisive: boolean;
};
export type PermissionPath = readonly Step[];
export type Explanation = {
  isGranted: boolean;
  /** All ways in which the user has the permission, shortest first. */
  paths: readonly PermissionPath[];
  nearestMiss: PermissionPath | null;
  /** IDs of permissions of which one grant is enough. */
  wouldGrant: readonly string[];
  hasMorePaths: boolean;
};

const maxPaths = 50;

/**
 * Explains why a user has a permission, or not. A permission counts by the ID that it has at the end of the history.
 * @throws DomainError PERMISSION_NOT_FOUND or WRONG_PERMISSION_SCOPE for an ID that no definition of the scope ever had
 */
export function explainPermission(history: PermissionHistory, permissionId: string): Explanation {
  const target = findTarget(history, permissionId);
  const { definitions, membership } = history;
  const granted = grantedKeys(history);
  const canUse = target.fact.holds && membership?.holds !== false;
  const isGranted = canUse && expandPermissions(definitions, granted).has(target.key);
  if (isGranted) {
    const { ways, hasMorePaths } = findWays(history, granted, target.key);
    const isDecisive = (part: Part) =>
      ways.every((keys) => isPartOf(part, keys)) && !(hasMorePaths && isGrantedWithout(history, target.key, part));
    const paths = ways.map((keys) =>
      stepsOf(history, target, keys).map(({ step, part }) => ({ ...step, isDecisive: !part || isDecisive(part) })),
    );
    return { isGranted, paths, nearestMiss: null, wouldGrant: [], hasMorePaths };
  }
  const enough = canUse
    ? withSystemPermissions(definitions).filter(
        ({ key, scope }) => scope === history.scope && expandPermissions(definitions, [key]).has(target.key),
      )
    : [];
  return {
    isGranted,
    paths: [],
    nearestMiss: toMissedPath(history, target, findNearestMiss(history, target.key)),
    wouldGrant: idsOf(
      definitions,
      enough.map(({ key }) => key),
    ),
    hasMorePaths: false,
  };
}

/** The current definition with this ID, or else the one that had it last. */
function findTarget({ named, definitions, scope }: PermissionHistory, permissionId: string): NamedDefinition {
  const latest = named
    .filter(({ id }) => id === permissionId)
    .toSorted(byEnd)
    .at(-1);
  if (latest) return latest;
  const other = definitions.find(({ id }) => id === permissionId);
  if (!other) return reject('PERMISSION_NOT_FOUND', { permission_id: permissionId });
  return reject('WRONG_PERMISSION_SCOPE', {
    permission_id: permissionId,
    expected_scope: scope,
    actual_scope: other.scope,
  });
}

const grantedKeys = ({ grants }: PermissionHistory): ReadonlySet<string> =>
  new Set([...grants].flatMap(([key, { holds }]) => (holds ? [key] : [])));

/** The containers of each key, as far as containment holds. */
function containersOf({ contained }: PermissionHistory): ReadonlyMap<string, readonly string[]> {
  const containers = new Map<string, string[]>();
  for (const [container, edges] of contained) {
    for (const [key, { holds }] of edges) {
      if (holds) containers.set(key, [...(containers.get(key) ?? []), container]);
    }
  }
  return containers;
}

/** The keys of each path, from a grant to the target. Goes back from the target, through keys that a grant leads to. */
function findWays(history: PermissionHistory, granted: ReadonlySet<string>, target: string) {
  const containers = containersOf(history);
  const reached = expandPermissions(history.definitions, granted);
  const ways: string[][] = [];
  let ends: string[][] = [[target]];
  let hasMore = false;
  while (ends.length > 0) {
    ways.push(...ends.filter(([first = '']) => granted.has(first)));
    const longer = ends.flatMap((keys) =>
      (containers.get(keys[0] ?? '') ?? [])
        .filter((key) => reached.has(key) && !keys.includes(key))
        .map((key) => [key, ...keys]),
    );
    // Each of them becomes at least one path.
    hasMore ||= longer.length > maxPaths;
    ends = longer.slice(0, maxPaths);
  }
  return { ways: ways.slice(0, maxPaths), hasMorePaths: hasMore || ways.length > maxPaths };
}

/** The part of the history that a step stands for: the grant of a key, or that one key contains another. */
type Part = { grant: string } | { container: string; key: string };

function isPartOf(part: Part, keys: readonly string[]): boolean {
  if ('grant' in part) return keys[0] === part.grant;
  return keys.some((key, index) => key === part.container && keys[index + 1] === part.key);
}

function isGrantedWithout(history: PermissionHistory, target: string, part: Part): boolean {
  const granted = [...grantedKeys(history)].filter((key) => !('grant' in part) || key !== part.grant);
  const definitions = history.definitions.map((definition) => {
    if ('grant' in part || definition.key !== part.container) return definition;
    return { ...definition, contained: definition.contained.filter((key) => key !== part.key) };
  });
  return expandPermissions(definitions, granted).has(target);
}

/** A step alone is decisive if it is all that is missing. Joining brings the default grants with it. */
function toMissedPath(history: PermissionHistory, target: NamedDefinition, keys: readonly string[]): PermissionPath {
  const steps = stepsOf(history, target, keys);
  const [first = ''] = keys;
  const followsFromJoining = history.grantedByJoining.includes(first);
  const missing = steps.filter(
    ({ step, part }) => !step.fact.holds && !(part && 'grant' in part && followsFromJoining),
  );
  return steps.map((one) => ({ ...one.step, isDecisive: missing.length === 1 && missing[0] === one }));
}

/** `part`: absent for what every path needs. */
type StepOfPath = { step: Omit<Step, 'isDecisive'>; part?: Part };

function stepsOf(history: PermissionHistory, target: NamedDefinition, keys: readonly string[]): StepOfPath[] {
  const { membership, grants, grantedByJoining, contained } = history;
  const [first = ''] = keys;
  const grant = grants.get(first);
  const isDefault = grant?.holds ? grant.isDefault : grantedByJoining.includes(first) || grant?.isDefault === true;
  const idOf = lastIds(history, target);
  const simple = (kind: Step['kind'], permissionId: string | null, fact: Fact) => ({
    kind,
    permissionId,
    containedPermissionId: null,
    fact,
  });
  return [
    ...(membership ? [{ step: simple('membership', null, membership) }] : []),
    { step: simple(isDefault ? 'default_grant' : 'grant', idOf(first), grant ?? never), part: { grant: first } },
    ...keys.slice(1).map((key, index): StepOfPath => {
      const container = keys[index] ?? '';
      const fact = contained.get(container)?.get(key) ?? never;
      const ids = { permissionId: idOf(container), containedPermissionId: idOf(key) };
      return { step: { kind: 'containment', ...ids, fact }, part: { container, key } };
    }),
    { step: simple('definition', target.id, target.fact) },
  ];
}

/** IDs by key: the current one, or that of a deleted definition. The target has the ID that was asked for. */
function lastIds({ named }: PermissionHistory, target: NamedDefinition): (key: string) => string {
  // Of several IDs of a key, the current one or else the last one is set last.
  const ids = new Map(named.toSorted(byEnd).map(({ key, id }) => [key, id]));
  return (key) => (key === target.key ? target.id : (ids.get(key) ?? key));
}

function byEnd({ fact: one }: NamedDefinition, { fact: other }: NamedDefinition): number {
  if (one.holds !== other.holds) return one.holds ? 1 : -1;
  return Number((one.until?.position ?? 0n) - (other.until?.position ?? 0n));
}
