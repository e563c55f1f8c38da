import type { ProjectConfig } from '../project/config.ts';
import { type PermissionDefinition, type PermissionScope, systemPermissions } from './definition.ts';

export type Definitions = readonly PermissionDefinition[];

/**
 * Granted keys with everything they contain, directly or through others: each key once, however definitions refer to each
 * other. A key without a definition stands for nothing.
 */
export function withContained(definitions: Definitions, granted: Iterable<string>): ReadonlySet<string> {
  const byKey = new Map(allOf(definitions).map((definition) => [definition.key, definition]));
  const held = new Set<string>();
  const open = [...granted];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const definition = byKey.get(key);
    if (!definition || held.has(key)) continue;
    held.add(key);
    open.push(...definition.contained);
  }
  return held;
}

/** A project's own definitions and those of the system. */
export const allOf = (definitions: Definitions): Definitions => [...systemPermissions, ...definitions];

/** The definition that a permission id names in a scope. */
export function definitionOf(
  definitions: Definitions,
  scope: PermissionScope,
  id: string,
): PermissionDefinition | undefined {
  return allOf(definitions).find((definition) => definition.id === id && definition.scope === scope);
}

/** The ids by which a project calls these keys today, sorted as every list of ids; keys without a definition have none. */
export function idsOf(definitions: Definitions, keys: Iterable<string>): string[] {
  const idByKey = new Map(allOf(definitions).map(({ key, id }) => [key, id]));
  return [...keys].flatMap((key) => idByKey.get(key) ?? []).sort(byUpperCase);
}

type DefaultList = 'teamCreatorDefaultPermissions' | 'teamMemberDefaultPermissions' | 'userDefaultPermissions';

/** Keys of what a project grants by itself to new users, members, or creators of teams. */
export function defaultPermissions(
  { config, permissions }: { config: Pick<ProjectConfig, DefaultList>; permissions: Definitions },
  list: DefaultList,
): string[] {
  const scope = list === 'userDefaultPermissions' ? 'project' : 'team';
  return config[list].flatMap((id) => definitionOf(permissions, scope, id)?.key ?? []);
}

/** How lists of ids are sorted: in upper case first, so `$` stands before letters (protocol, resources §6.3). */
export function byUpperCase(one: string, other: string): number {
  const [a, b] = [one.toUpperCase(), other.toUpperCase()];
  if (a !== b) return a < b ? -1 : 1;
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
