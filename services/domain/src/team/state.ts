import type { TeamEvent } from './events.ts';

type Created = Extract<TeamEvent, { type: 'TeamCreated' }>['data'];
export type ActiveTeam = Omit<Created, 'subjectId' | 'displayName' | 'creatorId' | 'at'> & {
  status: 'active';
  displayName: string;
  /** ISO time. */
  createdAt: string;
};
export type TeamState = { status: 'absent' } | ActiveTeam | { status: 'deleted'; teamId: string; projectId: string };

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
  if (state.status !== 'active') return state;
  switch (event.type) {
    case 'TeamRenamed':
      return { ...state, displayName: event.data.displayName ?? defaultTeamName };
    case 'TeamImageChanged':
      return { ...state, profileImageUrl: event.data.profileImageUrl };
    case 'TeamMetadataChanged':
      return { ...state, [metadataFields[event.data.scope]]: event.data.value };
    case 'TeamDeleted':
      return { status: 'deleted', teamId: state.teamId, projectId: state.projectId };
    default:
      event satisfies never;
      return state;
  }
}
