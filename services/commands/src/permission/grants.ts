import { reject } from '@gatebook/domain/errors';
import type { PermissionScope } from '@gatebook/domain/permission/definition';
import { type Definitions, definitionOf } from '@gatebook/domain/permission/effective';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { definitionsOf, loadMember } from '../team/team-rights.ts';
import { loadUser } from '../user/load-user.ts';

type OnMember = { teamId: string; userId: string; permissionId: string };

/**
 * Nothing happens when it was granted already.
 * @throws DomainError USER_NOT_FOUND, TEAM_MEMBERSHIP_NOT_FOUND, PERMISSION_NOT_FOUND, WRONG_PERMISSION_SCOPE
 */
export async function grantTeamPermission(
  deps: WriteDeps,
  ctx: Context,
  { teamId, userId, permissionId }: OnMember,
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    await loadUser(work, userId);
    const member = await loadMember(work, teamId, userId);
    const permission = grantable(await definitionsOf(work), 'team', permissionId);
    member.decide({ type: 'GrantPermission', permission, at });
  });
  return { position };
}

/** Only what was granted directly. @throws DomainError USER_NOT_FOUND, TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_NOT_FOUND */
export async function revokeTeamPermission(
  deps: WriteDeps,
  ctx: Context,
  { teamId, userId, permissionId }: OnMember,
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    await loadUser(work, userId);
    const member = await loadMember(work, teamId, userId);
    const permission = definitionOf(await definitionsOf(work), 'team', permissionId)?.key ?? null;
    member.decide({ type: 'RevokePermission', permission, permissionId, at });
  });
  return { position };
}

type OnUser = { userId: string; permissionId: string };

/** Nothing happens when it was granted already. @throws DomainError USER_NOT_FOUND, PERMISSION_NOT_FOUND, WRONG_PERMISSION_SCOPE */
export async function grantProjectPermission(
  deps: WriteDeps,
  ctx: Context,
  { userId, permissionId }: OnUser,
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const user = await loadUser(work, userId);
    const permission = grantable(await definitionsOf(work), 'project', permissionId);
    user.decide({ type: 'GrantProjectPermission', permission, at });
  });
  return { position };
}

/** Only what was granted directly. @throws DomainError USER_NOT_FOUND, PERMISSION_NOT_FOUND */
export async function revokeProjectPermission(
  deps: WriteDeps,
  ctx: Context,
  { userId, permissionId }: OnUser,
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const user = await loadUser(work, userId);
    const permission = definitionOf(await definitionsOf(work), 'project', permissionId)?.key ?? null;
    user.decide({ type: 'RevokeProjectPermission', permission, permissionId, at });
  });
  return { position };
}

/** System permissions are of teams, but for a whole project they are simply not known (protocol, resources §6.3). */
function grantable(definitions: Definitions, scope: PermissionScope, id: string): string {
  const found = definitionOf(definitions, scope, id);
  if (found) return found.key;
  const other = scope === 'team' ? 'project' : 'team';
  if (!id.startsWith('$') && definitionOf(definitions, other, id)) {
    reject('WRONG_PERMISSION_SCOPE', { permission_id: id, expected_scope: scope, actual_scope: other });
  }
  return reject('PERMISSION_NOT_FOUND', { permission_id: id });
}
