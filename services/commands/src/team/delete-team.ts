import { reject } from '@gatebook/domain/errors';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { type Acting, decideOnTeam } from './team.ts';
import { loadExistingTeam } from './team-permissions.ts';

/** `graceDays`: for how many days the team can be restored (docs/decisions/0093); default: 0. */
type Deletion = Acting & { teamId: string; graceDays?: number };

/**
 * Schedules the deletion of a team, which hides it with its members, permissions, invitations and API keys. Without a
 * grace period, erases the team at once: if a crash prevents that, the worker completes it.
 * @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED, TEAM_NOT_FOUND
 */
export async function deleteTeam(
  deps: WriteDeps,
  ctx: Context,
  { graceDays = 0, ...team }: Deletion,
): Promise<CommandResult> {
  const acting = { ...team, permissionKey: '$delete_team' };
  const result = await decideOnTeam(deps, ctx, acting, (at) =>
    graceDays === 0 ? { type: 'DeleteTeam', at } : { type: 'ScheduleDeletion', graceDays, at },
  );
  if (graceDays === 0) await deps.eraseSubject(team.teamId);
  return result;
}

/** Takes a scheduled deletion back. Does nothing to a team that is not deleted. @throws DomainError TEAM_NOT_FOUND */
export async function restoreTeam(
  deps: WriteDeps,
  ctx: Context,
  { teamId }: { teamId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    (await loadExistingTeam(work, teamId)).decide({ type: 'RestoreTeam', at });
  });
  return { position };
}

/** Erases a team at once, also one that awaits deletion. @throws DomainError TEAM_NOT_FOUND */
export const eraseTeam = (deps: WriteDeps, ctx: Context, { teamId }: { teamId: string }): Promise<CommandResult> =>
  erase(deps, ctx, teamId, false);

/**
 * Erases a team whose grace period is over. Rejects a team that was restored meanwhile. @throws DomainError
 * TEAM_NOT_FOUND
 */
export const eraseDueTeam = (deps: WriteDeps, ctx: Context, { teamId }: { teamId: string }): Promise<CommandResult> =>
  erase(deps, ctx, teamId, true);

async function erase(deps: WriteDeps, ctx: Context, teamId: string, onlyIfDue: boolean): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const team = await loadExistingTeam(work, teamId);
    const isDue = team.state.status === 'awaiting_deletion' && team.state.deleteAt <= at;
    if (onlyIfDue && !isDue) reject('TEAM_NOT_FOUND', { team_id: teamId });
    team.decide({ type: 'DeleteTeam', at });
  });
  await deps.eraseSubject(teamId);
  return { position };
}
