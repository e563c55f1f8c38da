import type { TeamEvent } from './events.ts';

type Created = Extract<TeamEvent, { type: 'TeamCreated' }>['data'];
export type ActiveTeam = Omit<Created, 'subjectId' | 'displayName' | 'creatorId' | 'at'> & {
  status: 'active';
  displayName: string;
  /** ISO time. */
  createdAt: string;
};
/** Counts as deleted, but can be restored. */
export type TeamAwaitingDeletion = { status: 'awaiting_deletion'; team: ActiveTeam; deleteAt: string };
export type TeamState =
  | { status: 'absent' }
  | ActiveTeam
  | TeamAwaitingDeletion
  | { status: 'deleted'; teamId: string; projectId: string };

export const initialState: TeamState = { status: 'absent' };

/** Name of a team created at sign-up for a user without a name, or named after an erased user. */
export const defaultTeamName = 'Personal Team';

const metadataFields = {
  client: 'clientMetadata',
  client_read_only: 'clientReadOnlyMetadata',
  server: 'serverMetadata',
} as const;

export function evolveTeam(state: TeamState, event: TeamEvent): TeamState {
  if (event.type === 'TeamCreated') {
    const { subjectId: _subject, creatorId: _creator, displayName, at, ...facts } = event.data;
    return { status: 'active', ...facts, displayName: displayName ?? defaultTeamName, createdAt: at };
  }
  if (state.status === 'awaiting_deletion') return evolveAwaiting(state, event);
  if (state.status !== 'active') return state;
  switch (event.type) {
    case 'TeamRenamed':
      return { ...state, displayName: event.data.displayName ?? defaultTeamName };
    case 'TeamImageChanged':
      return { ...state, profileImageUrl: event.data.profileImageUrl };
    case 'TeamMetadataChanged':
      return { ...state, [metadataFields[event.data.scope]]: event.data.value };
    case 'TeamDeletionScheduled':
      return { status: 'awaiting_deletion', team: state, deleteAt: event.data.deleteAt };
    case 'TeamDeletionCanceled':
      return state;
    case 'TeamDeleted':
      return { status: 'deleted', teamId: state.teamId, projectId: state.projectId };
    default:
      event satisfies never;
      return state;
  }
}

function evolveAwaiting(state: TeamAwaitingDeletion, event: TeamEvent): TeamState {
  if (event.type === 'TeamDeletionCanceled') return state.team;
  return event.type === 'TeamDeleted' ? evolveTeam(state.team, event) : state;
}

/** A team that is not erased. */
export function existingTeam(state: TeamState): ActiveTeam | null {
  if (state.status === 'awaiting_deletion') return state.team;
  return state.status === 'active' ? state : null;
}
