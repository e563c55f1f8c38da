import { reject } from '@gatebook/domain/errors';
import type { PermissionDefinition, PermissionScope } from '@gatebook/domain/permission/definition';
import { type Definitions, findDefinition } from '@gatebook/domain/permission/effective';
import type { PermissionCommand } from '@gatebook/domain/project/permissions';
import type { ProjectState } from '@gatebook/domain/project/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { decideOnProject } from '../project/project.ts';

type Definition = { scope: PermissionScope; id: string };

type Defined = { definition: PermissionDefinition; permissions: Definitions };

/** `contained`: ids. @throws DomainError PERMISSION_ID_ALREADY_EXISTS, CONTAINED_PERMISSION_NOT_FOUND */
export async function definePermission(
  deps: WriteDeps,
  ctx: Context,
  input: Definition & { description: string | null; contained: readonly string[] },
): Promise<CommandResult<Defined>> {
  const at = deps.now();
  const { state, position } = await decideOnProject(deps, ctx, [
    { type: 'DefinePermission', key: deps.newId(), ...input, at },
  ]);
  return { ...defined(state, input), position };
}

/**
 * What is undefined stays; a new id reaches grants, other definitions and default lists.
 * @throws DomainError PERMISSION_NOT_FOUND, PERMISSION_ID_ALREADY_EXISTS, CONTAINED_PERMISSION_NOT_FOUND, PERMISSION_CYCLE
 */
export async function redefinePermission(
  deps: WriteDeps,
  ctx: Context,
  { scope, id, change }: Definition & Pick<Extract<PermissionCommand, { type: 'RedefinePermission' }>, 'change'>,
): Promise<CommandResult<Defined>> {
  const at = deps.now();
  const { state, position } = await decideOnProject(deps, ctx, [{ type: 'RedefinePermission', scope, id, change, at }]);
  return { ...defined(state, { scope, id: change.id ?? id }), position };
}

/** Grants of it, and mentions of it, go too. @throws DomainError PERMISSION_NOT_FOUND */
export async function deletePermission(deps: WriteDeps, ctx: Context, input: Definition): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await decideOnProject(deps, ctx, [{ type: 'DeletePermission', ...input, at }]);
  return { position };
}

function defined(state: ProjectState, { scope, id }: Definition): Defined {
  const permissions = state.status === 'active' ? state.permissions : [];
  const definition = findDefinition(permissions, scope, id) ?? reject('PERMISSION_NOT_FOUND', { permission_id: id });
  return { definition, permissions };
}
