import { reject } from '../errors.ts';
import type { PermissionDefinition, PermissionScope } from '../permission/definition.ts';
import { expandPermissions, findDefinition, withSystemPermissions } from '../permission/effective.ts';
import type { ProjectConfig } from './config.ts';
import type { ProjectEvent } from './events.ts';
import { quotaOf } from './quotas.ts';
import type { ActiveProject } from './state.ts';

/** `contained`: permission IDs. */
type DefinePermission = {
  type: 'DefinePermission';
  key: string;
  scope: PermissionScope;
  id: string;
  description: string | null;
  contained: readonly string[];
  at: string;
};
/** Undefined fields do not change. */
type RedefinePermission = {
  type: 'RedefinePermission';
  scope: PermissionScope;
  id: string;
  change: {
    id?: string | undefined;
    description?: string | null | undefined;
    contained?: readonly string[] | undefined;
  };
  at: string;
};
/** Brings a deleted definition back under its key, so that its grants count again. `contained`: permission keys. */
type RestorePermission = { type: 'RestorePermission' } & PermissionDefinition & { at: string };
type DeletePermission = { type: 'DeletePermission'; scope: PermissionScope; id: string; at: string };
export type PermissionCommand = DefinePermission | RedefinePermission | RestorePermission | DeletePermission;

/** (protocol, resources §6.2) IDs are unique across both scopes. System permissions can't be changed. */
export function decidePermission(command: PermissionCommand, project: ActiveProject): readonly ProjectEvent[] {
  switch (command.type) {
    case 'DefinePermission':
      return definePermission(command, project);
    case 'RedefinePermission':
      return redefinePermission(command, project);
    case 'RestorePermission':
      return restorePermission(command, project);
    case 'DeletePermission':
      return deletePermission(command, project);
  }
}

function definePermission(command: DefinePermission, project: ActiveProject): readonly ProjectEvent[] {
  const { key, scope, id, at } = command;
  const { projectId } = project;
  requireFreeId(project, id);
  requireQuota(project);
  const contained = keysOf(project, scope, command.contained);
  const description = command.description || null;
  return [{ type: 'PermissionDefinitionCreated', data: { projectId, key, id, scope, description, contained, at } }];
}

function redefinePermission(command: RedefinePermission, project: ActiveProject): readonly ProjectEvent[] {
  const { scope, change, at } = command;
  const before = requireOwnDefinition(project, scope, command.id);
  const { key } = before;
  const id = change.id ?? before.id;
  if (id !== before.id) requireFreeId(project, id);
  const contained = change.contained === undefined ? before.contained : keysOf(project, scope, change.contained);
  if (expandPermissions(project.permissions, contained).has(key)) reject('PERMISSION_CYCLE', { permission_id: id });
  const description = change.description === undefined ? before.description : change.description || null;
  const after = { key, id, scope, description, contained: [...contained] };
  if (JSON.stringify(after) === JSON.stringify(before)) return [];
  const { projectId } = project;
  const renamed = updateDefaultLists(project, (ids) => ids.map((one) => (one === before.id ? id : one)), at);
  return [{ type: 'PermissionDefinitionChanged', data: { projectId, ...after, at } }, ...renamed];
}

function restorePermission(
  { type: _, ...definition }: RestorePermission,
  project: ActiveProject,
): readonly ProjectEvent[] {
  const { projectId, permissions } = project;
  const { key, id, contained } = definition;
  if (permissions.some((other) => other.key === key)) return [];
  requireFreeId(project, id);
  requireQuota(project);
  // Others may contain the key, so that it counts again, and may be contained by now.
  if (expandPermissions([...permissions, definition], contained).has(key)) {
    reject('PERMISSION_CYCLE', { permission_id: id });
  }
  return [{ type: 'PermissionDefinitionCreated', data: { projectId, ...definition, contained: [...contained] } }];
}

function deletePermission({ scope, id, at }: DeletePermission, project: ActiveProject): readonly ProjectEvent[] {
  const { key } = requireOwnDefinition(project, scope, id);
  const { projectId } = project;
  const left = updateDefaultLists(project, (ids) => ids.filter((one) => one !== id), at);
  return [{ type: 'PermissionDefinitionDeleted', data: { projectId, key, at } }, ...left];
}

function requireFreeId({ permissions }: ActiveProject, id: string): void {
  if (withSystemPermissions(permissions).some((definition) => definition.id === id)) {
    reject('PERMISSION_ID_ALREADY_EXISTS', { permission_id: id });
  }
}

function requireQuota({ settings, permissions }: ActiveProject): void {
  const limit = quotaOf(settings, 'permissionDefinitions');
  if (permissions.length >= limit) reject('QUOTA_EXCEEDED', { quota: 'permissionDefinitions', limit });
}

function requireOwnDefinition(
  { permissions }: ActiveProject,
  scope: PermissionScope,
  id: string,
): PermissionDefinition {
  const found = permissions.find((definition) => definition.id === id && definition.scope === scope);
  return found ?? reject('PERMISSION_NOT_FOUND', { permission_id: id });
}

/** Keys of the contained IDs, without duplicates. */
function keysOf({ permissions }: ActiveProject, scope: PermissionScope, ids: readonly string[]): string[] {
  const keyOf = (id: string) =>
    findDefinition(permissions, scope, id)?.key ?? reject('CONTAINED_PERMISSION_NOT_FOUND', { permission_id: id });
  return [...new Set(ids.map(keyOf))];
}

type Lists = Pick<
  ProjectConfig,
  'teamCreatorDefaultPermissions' | 'teamMemberDefaultPermissions' | 'userDefaultPermissions'
>;

/** Applies a rename or deletion to the default permissions of the project, in the same append. */
function updateDefaultLists(
  { projectId, subjectId, config, secrets }: ActiveProject,
  updateList: (ids: readonly string[]) => string[],
  at: string,
): readonly ProjectEvent[] {
  const lists: Lists = {
    teamCreatorDefaultPermissions: updateList(config.teamCreatorDefaultPermissions),
    teamMemberDefaultPermissions: updateList(config.teamMemberDefaultPermissions),
    userDefaultPermissions: updateList(config.userDefaultPermissions),
  };
  const changed = (Object.keys(lists) as (keyof Lists)[]).filter((name) => `${lists[name]}` !== `${config[name]}`);
  if (changed.length === 0) return [];
  return [
    {
      type: 'ProjectConfigChanged',
      data: { projectId, subjectId, config: { ...config, ...lists }, secrets, changed, at },
    },
  ];
}
