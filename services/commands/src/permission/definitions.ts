import { reject } from '@gatebook/domain/errors';
import type { PermissionDefinition, PermissionScope } from '@gatebook/domain/permission/definition';
import { type Definitions, findDefinition } from '@gatebook/domain/permission/effective';
import type { PermissionCommand } from '@gatebook/domain/project/permissions';
import type { ProjectState } from '@gatebook/domain/project/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { decideOnProject } from '../project/project.ts';

type DefinitionKey = { scope: PermissionScope; id: string };

type WrittenDefinition = { definition: PermissionDefinition; permissions: Definitions };

/** `contained`: permission IDs. @throws DomainError PERMISSION_ID_ALREADY_EXISTS, CONTAINED_PERMISSION_NOT_FOUND */
export async function definePermission(
  deps: WriteDeps,
  ctx: Context,
  input: DefinitionKey & { description: string | null; contained: readonly string[] },
): Promise<CommandResult<WrittenDefinition>> {
  const at = deps.now();
  const { state, position } = await decideOnProject(deps, ctx, [
    { type: 'DefinePermission', key: deps.newId(), ...input, at },
  ]);
  return { ...requireDefinition(state, input), position };
}

/**
 * Undefined fields do not change. A new ID applies to grants, other definitions and default lists.
 * @throws DomainError PERMISSION_NOT_FOUND, PERMISSION_ID_ALREADY_EXISTS, CONTAINED_PERMISSION_NOT_FOUND,
 * PERMISSION_CYCLE
 */
export async function redefinePermission(
  deps: WriteDeps,
  ctx: Context,
  { scope, id, change }: DefinitionKey & Pick<Extract<PermissionCommand, { type: 'RedefinePermission' }>, 'change'>,
): Promise<CommandResult<WrittenDefinition>> {
  const at = deps.now();
  const { state, position } = await decideOnProject(deps, ctx, [{ type: 'RedefinePermission', scope, id, change, at }]);
  return { ...requireDefinition(state, { scope, id: change.id ?? id }), position };
}

/** Also removes its grants and every reference to it. @throws DomainError PERMISSION_NOT_FOUND */
export async function deletePermission(deps: WriteDeps, ctx: Context, input: DefinitionKey): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await decideOnProject(deps, ctx, [{ type: 'DeletePermission', ...input, at }]);
  return { position };
}

function requireDefinition(state: ProjectState, { scope, id }: DefinitionKey): WrittenDefinition {
  const permissions = state.status === 'active' ? state.permissions : [];
  const definition = findDefinition(permissions, scope, id) ?? reject('PERMISSION_NOT_FOUND', { permission_id: id });
  return { definition, permissions };
}
