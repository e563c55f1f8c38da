import type { ProjectConfig } from '../project/config.ts';
import { type PermissionDefinition, type PermissionScope, systemPermissions } from './definition.ts';

export type Definitions = readonly PermissionDefinition[];

/**
 * Expands granted keys to everything they contain, directly or indirectly. Each key occurs once, even if definitions
 * contain each other. Keys without a definition are ignored.
 */
export function expandPermissions(definitions: Definitions, granted: Iterable<string>): ReadonlySet<string> {
  const byKey = new Map(withSystemPermissions(definitions).map((definition) => [definition.key, definition]));
  const expanded = new Set<string>();
  const pending = [...granted];
  for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
    const definition = byKey.get(key);
    if (!definition || expanded.has(key)) continue;
    expanded.add(key);
    pending.push(...definition.contained);
  }
  return expanded;
}

/** Keys of the permissions that contain this one, directly or indirectly, and its own. */
export const keysContaining = (definitions: Definitions, key: string): string[] =>
  withSystemPermissions(definitions)
    .filter((definition) => expandPermissions(definitions, [definition.key]).has(key))
    .map((definition) => definition.key);

/** The project's own definitions and the system permissions. */
export const withSystemPermissions = (definitions: Definitions): Definitions => [...systemPermissions, ...definitions];

/** Finds the definition with a permission ID in a scope. */
export function findDefinition(
  definitions: Definitions,
  scope: PermissionScope,
  id: string,
): PermissionDefinition | undefined {
  return withSystemPermissions(definitions).find((definition) => definition.id === id && definition.scope === scope);
}

/** Current IDs of these keys, sorted like every list of IDs. Keys without a definition are skipped. */
export function idsOf(definitions: Definitions, keys: Iterable<string>): string[] {
  const idByKey = new Map(withSystemPermissions(definitions).map(({ key, id }) => [key, id]));
  return [...keys].flatMap((key) => idByKey.get(key) ?? []).sort(compareIds);
}

type DefaultList = 'teamCreatorDefaultPermissions' | 'teamMemberDefaultPermissions' | 'userDefaultPermissions';

/** Keys of the permissions that a project grants by default to new users, members or team creators. */
export function defaultPermissions(
  { config, permissions }: { config: Pick<ProjectConfig, DefaultList>; permissions: Definitions },
  list: DefaultList,
): string[] {
  const scope = list === 'userDefaultPermissions' ? 'project' : 'team';
  return config[list].flatMap((id) => findDefinition(permissions, scope, id)?.key ?? []);
}

/** Order of ID lists: compared in upper case, so `$` comes before letters (protocol, resources §6.3). */
export function compareIds(a: string, b: string): number {
  const [upperA, upperB] = [a.toUpperCase(), b.toUpperCase()];
  if (upperA !== upperB) return upperA < upperB ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
