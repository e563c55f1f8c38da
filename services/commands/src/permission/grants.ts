import { reject } from '@gatebook/domain/errors';
import type { PermissionScope } from '@gatebook/domain/permission/definition';
import { type Definitions, findDefinition } from '@gatebook/domain/permission/effective';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact, type UnitOfWork } from '../execute.ts';
import { loadMember, readDefinitions } from '../team/team-permissions.ts';
import { loadUser } from '../user/load-user.ts';

type TeamGrant = { teamId: string; userId: string; permissionId: string };

/**
 * Grants a member a permission in a team. Does nothing if it is already granted.
 * @throws DomainError USER_NOT_FOUND, TEAM_MEMBERSHIP_NOT_FOUND, PERMISSION_NOT_FOUND, WRONG_PERMISSION_SCOPE
 */
export function grantTeamPermission(
  deps: WriteDeps,
  ctx: Context,
  { teamId, userId, permissionId }: TeamGrant,
): Promise<CommandResult> {
  return changeGrant(deps, ctx, async (work, definitions, at) => {
    await loadUser(work, userId);
    const member = await loadMember(work, teamId, userId);
    const permissionKey = requireGrantable(definitions, 'team', permissionId);
    member.decide({ type: 'GrantPermission', permissionKey, at });
  });
}

/**
 * Revokes a permission that was granted directly.
 * @throws DomainError USER_NOT_FOUND, TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_NOT_FOUND
 */
export function revokeTeamPermission(
  deps: WriteDeps,
  ctx: Context,
  { teamId, userId, permissionId }: TeamGrant,
): Promise<CommandResult> {
  return changeGrant(deps, ctx, async (work, definitions, at) => {
    await loadUser(work, userId);
    const member = await loadMember(work, teamId, userId);
    const permissionKey = findDefinition(definitions, 'team', permissionId)?.key ?? null;
    member.decide({ type: 'RevokePermission', permissionKey, permissionId, at });
  });
}

type ProjectGrant = { userId: string; permissionId: string };

/**
 * Grants a user a project permission. Does nothing if it is already granted.
 * @throws DomainError USER_NOT_FOUND, PERMISSION_NOT_FOUND, WRONG_PERMISSION_SCOPE
 */
export function grantProjectPermission(
  deps: WriteDeps,
  ctx: Context,
  { userId, permissionId }: ProjectGrant,
): Promise<CommandResult> {
  return changeGrant(deps, ctx, async (work, definitions, at) => {
    const user = await loadUser(work, userId);
    const permissionKey = requireGrantable(definitions, 'project', permissionId);
    user.decide({ type: 'GrantProjectPermission', permissionKey, at });
  });
}

/** Revokes a permission that was granted directly. @throws DomainError USER_NOT_FOUND, PERMISSION_NOT_FOUND */
export function revokeProjectPermission(
  deps: WriteDeps,
  ctx: Context,
  { userId, permissionId }: ProjectGrant,
): Promise<CommandResult> {
  return changeGrant(deps, ctx, async (work, definitions, at) => {
    const user = await loadUser(work, userId);
    const permissionKey = findDefinition(definitions, 'project', permissionId)?.key ?? null;
    user.decide({ type: 'RevokeProjectPermission', permissionKey, permissionId, at });
  });
}

type Change = (work: UnitOfWork, definitions: Definitions, at: string) => Promise<void>;

async function changeGrant(deps: WriteDeps, ctx: Context, change: Change): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => change(work, await readDefinitions(work), at));
  return { position };
}

/** System permissions have team scope, but are reported as unknown in project scope (protocol, resources §6.3). */
function requireGrantable(definitions: Definitions, scope: PermissionScope, id: string): string {
  const definition = findDefinition(definitions, scope, id);
  if (definition) return definition.key;
  const other = scope === 'team' ? 'project' : 'team';
  if (!id.startsWith('$') && findDefinition(definitions, other, id)) {
    reject('WRONG_PERMISSION_SCOPE', { permission_id: id, expected_scope: scope, actual_scope: other });
  }
  return reject('PERMISSION_NOT_FOUND', { permission_id: id });
}
