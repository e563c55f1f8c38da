import type { Team } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

/** The display name of a team, which can be empty. */
export const teamName = ({ displayName }: Pick<Team, 'displayName'>) =>
  displayName.trim() === '' ? t`Unnamed team` : displayName;
