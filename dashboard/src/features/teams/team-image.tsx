import type { Team } from '@gatebook/js/admin';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { teamName } from '../../lib/team-name.ts';
import classes from './team-page.module.css';

type Props = { team: Pick<Team, 'id' | 'displayName' | 'profileImageUrl'> };

/** The image of a team, if it is part of the team's data: an address would be a third-party request. */
export function TeamImage({ team }: Props) {
  const { id, profileImageUrl } = team;
  if (!profileImageUrl?.startsWith('data:image/')) return <UserAvatar id={id} name={teamName(team)} size={40} />;
  return <img src={profileImageUrl} alt="" width={40} height={40} className={classes.image} />;
}
