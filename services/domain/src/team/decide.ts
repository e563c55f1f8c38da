import { type Decider, unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { stateVersions } from '../state-versions.ts';
import type { TeamEvent } from './events.ts';
import { evolveTeam, initialState, type TeamState } from './state.ts';

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
type DeleteTeam = { type: 'DeleteTeam'; at: string };
export type TeamCommand = CreateTeam | ChangeTeam | DeleteTeam;

export function decideTeam(command: TeamCommand, state: TeamState): readonly TeamEvent[] {
  if (command.type === 'CreateTeam') {
    if (state.status !== 'absent') throw new Error(`team ${command.teamId} exists already`);
    const { type: _, ...data } = command;
    return [{ type: 'TeamCreated', data }];
  }
  if (state.status !== 'active') return reject('TEAM_NOT_FOUND');
  const { teamId, projectId } = state;
  switch (command.type) {
    case 'ChangeTeam':
      return changeTeam(command, teamId);
    case 'DeleteTeam':
      return [{ type: 'TeamDeleted', data: { teamId, projectId, at: command.at } }];
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
