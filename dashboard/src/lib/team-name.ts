import type { Team } from '@gatebook/js/admin';

/** The display name of a team, which can be empty. */
export const teamName = ({ displayName }: Pick<Team, 'displayName'>) =>
  displayName.trim() === '' ? 'Unnamed team' : displayName;
