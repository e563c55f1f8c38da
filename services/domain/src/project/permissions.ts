import { reject } from '../errors.ts';
import type { PermissionDefinition, PermissionScope } from '../permission/definition.ts';
import { allOf, definitionOf, withContained } from '../permission/effective.ts';
import type { ProjectConfig } from './config.ts';
import type { ProjectEvent } from './events.ts';
import { quotaOf } from './quotas.ts';
import type { ActiveProject } from './state.ts';

/** `contained`: permission ids. */
type DefinePermission = {
  type: 'DefinePermission';
  key: string;
  scope: PermissionScope;
  id: string;
  description: string | null;
  contained: readonly string[];
  at: string;
};
/** What is undefined stays. */
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
type DeletePermission = { type: 'DeletePermission'; scope: PermissionScope; id: string; at: string };
export type PermissionCommand = DefinePermission | RedefinePermission | DeletePermission;

/** Protocol, resources §6.2. Ids are unique over both scopes; system permissions can't be changed. */
export function decidePermission(command: PermissionCommand, project: ActiveProject): readonly ProjectEvent[] {
  switch (command.type) {
    case 'DefinePermission':
      return definePermission(command, project);
    case 'RedefinePermission':
      return redefinePermission(command, project);
    case 'DeletePermission':
      return deletePermission(command, project);
  }
}

function definePermission(command: DefinePermission, project: ActiveProject): readonly ProjectEvent[] {
  const { key, scope, id, at } = command;
  const { projectId } = project;
  requireFreeId(project, id);
  const limit = quotaOf(project.settings, 'permissionDefinitions');
  if (project.permissions.length >= limit) reject('QUOTA_EXCEEDED', { quota: 'permissionDefinitions', limit });
  const contained = keysOf(project, scope, command.contained);
  const description = command.description || null;
  return [{ type: 'PermissionDefinitionCreated', data: { projectId, key, id, scope, description, contained, at } }];
}

function redefinePermission(command: RedefinePermission, project: ActiveProject): readonly ProjectEvent[] {
  const { scope, change, at } = command;
  const before = ownDefinition(project, scope, command.id);
  const { key } = before;
  const id = change.id ?? before.id;
  if (id !== before.id) requireFreeId(project, id);
  const contained = change.contained === undefined ? before.contained : keysOf(project, scope, change.contained);
  if (withContained(project.permissions, contained).has(key)) reject('PERMISSION_CYCLE', { permission_id: id });
  const description = change.description === undefined ? before.description : change.description || null;
  const after = { key, id, scope, description, contained: [...contained] };
  if (JSON.stringify(after) === JSON.stringify(before)) return [];
  const { projectId } = project;
  const renamed = withDefaults(project, (ids) => ids.map((one) => (one === before.id ? id : one)), at);
  return [{ type: 'PermissionDefinitionChanged', data: { projectId, ...after, at } }, ...renamed];
}

function deletePermission({ scope, id, at }: DeletePermission, project: ActiveProject): readonly ProjectEvent[] {
  const { key } = ownDefinition(project, scope, id);
  const { projectId } = project;
  const left = withDefaults(project, (ids) => ids.filter((one) => one !== id), at);
  return [{ type: 'PermissionDefinitionDeleted', data: { projectId, key, at } }, ...left];
}

function requireFreeId({ permissions }: ActiveProject, id: string): void {
  if (allOf(permissions).some((definition) => definition.id === id)) {
    reject('PERMISSION_ID_ALREADY_EXISTS', { permission_id: id });
  }
}

function ownDefinition({ permissions }: ActiveProject, scope: PermissionScope, id: string): PermissionDefinition {
  const found = permissions.find((definition) => definition.id === id && definition.scope === scope);
  return found ?? reject('PERMISSION_NOT_FOUND', { permission_id: id });
}

/** Keys of contained ids, each once. */
function keysOf({ permissions }: ActiveProject, scope: PermissionScope, ids: readonly string[]): string[] {
  const keyOf = (id: string) =>
    definitionOf(permissions, scope, id)?.key ?? reject('CONTAINED_PERMISSION_NOT_FOUND', { permission_id: id });
  return [...new Set(ids.map(keyOf))];
}

type Lists = Pick<
  ProjectConfig,
  'teamCreatorDefaultPermissions' | 'teamMemberDefaultPermissions' | 'userDefaultPermissions'
>;

/** What projects grant by default follows renames and deletions, in the same append. */
function withDefaults(
  { projectId, subjectId, config, secrets }: ActiveProject,
  follow: (ids: readonly string[]) => string[],
  at: string,
): readonly ProjectEvent[] {
  const lists: Lists = {
    teamCreatorDefaultPermissions: follow(config.teamCreatorDefaultPermissions),
    teamMemberDefaultPermissions: follow(config.teamMemberDefaultPermissions),
    userDefaultPermissions: follow(config.userDefaultPermissions),
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
