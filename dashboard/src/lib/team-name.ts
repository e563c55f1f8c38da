import type { Team } from '@gatebook/js/teams';

/** The display name of a team, which can be empty. */
export const teamName = ({ displayName }: Pick<Team, 'displayName'>) =>
  displayName.trim() === '' ? 'Unnamed team' : displayName;
