import { type Decider, unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { endOfGracePeriod } from '../grace-period.ts';
import { stateVersions } from '../state-versions.ts';
import type { TeamEvent } from './events.ts';
import { evolveTeam, existingTeam, initialState, type TeamState } from './state.ts';

type Data<Type extends TeamEvent['type']> = Extract<TeamEvent, { type: Type }>['data'];
type CreateTeam = { type: 'CreateTeam' } & Data<'TeamCreated'>;
/** Undefined fields do not change. */
type ChangeTeam = {
  type: 'ChangeTeam';
  displayName?: string | undefined;
  profileImageUrl?: string | null | undefined;
  clientMetadata?: Data<'TeamMetadataChanged'>['value'] | undefined;
  clientReadOnlyMetadata?: Data<'TeamMetadataChanged'>['value'] | undefined;
  serverMetadata?: Data<'TeamMetadataChanged'>['value'] | undefined;
  at: string;
};
/** `graceDays`: above 0. */
type ScheduleDeletion = { type: 'ScheduleDeletion'; graceDays: number; at: string };
type RestoreTeam = { type: 'RestoreTeam'; at: string };
/** Also a team that awaits deletion. */
type DeleteTeam = { type: 'DeleteTeam'; at: string };
export type TeamCommand = CreateTeam | ChangeTeam | ScheduleDeletion | RestoreTeam | DeleteTeam;

function decideTeam(command: TeamCommand, state: TeamState): readonly TeamEvent[] {
  if (command.type === 'CreateTeam') {
    if (state.status !== 'absent') throw new Error(`team ${command.teamId} exists already`);
    const { type: _, ...data } = command;
    return [{ type: 'TeamCreated', data }];
  }
  const team = existingTeam(state);
  if (team === null) return reject('TEAM_NOT_FOUND');
  const { teamId, projectId } = team;
  const isAwaiting = state.status === 'awaiting_deletion';
  switch (command.type) {
    case 'ChangeTeam':
      return isAwaiting ? reject('TEAM_NOT_FOUND') : changeTeam(command, teamId);
    case 'ScheduleDeletion': {
      if (isAwaiting) return reject('TEAM_NOT_FOUND');
      const deleteAt = endOfGracePeriod(command.at, command.graceDays);
      return [{ type: 'TeamDeletionScheduled', data: { teamId, projectId, deleteAt, at: command.at } }];
    }
    case 'RestoreTeam':
      return isAwaiting ? [{ type: 'TeamDeletionCanceled', data: { teamId, projectId, at: command.at } }] : [];
    case 'DeleteTeam':
      return [{ type: 'TeamDeleted', data: { teamId, projectId, wasScheduled: isAwaiting, at: command.at } }];
    default:
      return unreachable(command);
  }
}

function changeTeam({ at, ...change }: ChangeTeam, teamId: string): readonly TeamEvent[] {
  const events: TeamEvent[] = [];
  const { displayName, profileImageUrl } = change;
  if (displayName !== undefined) events.push({ type: 'TeamRenamed', data: { teamId, displayName, at } });
  if (profileImageUrl !== undefined) events.push({ type: 'TeamImageChanged', data: { teamId, profileImageUrl, at } });
  const metadata = [
    ['client', change.clientMetadata],
    ['client_read_only', change.clientReadOnlyMetadata],
    ['server', change.serverMetadata],
  ] as const;
  for (const [scope, value] of metadata) {
    if (value !== undefined) events.push({ type: 'TeamMetadataChanged', data: { teamId, scope, value, at } });
  }
  return events;
}

export const teamDecider: Decider<TeamState, TeamCommand, TeamEvent> = {
  initialState,
  decide: decideTeam,
  evolve: evolveTeam,
  stateVersion: stateVersions.team,
};
