import type { Team } from '@gatebook/js/teams';

/** A team may have an empty name. */
export const teamName = ({ displayName }: Pick<Team, 'displayName'>) =>
  displayName.trim() === '' ? 'Unnamed team' : displayName;
