import type { User } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { AppLink, PlainLink } from '../../components/app-link.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { userName, userSubtitle } from '../../lib/user-name.ts';
import classes from './overview-page.module.css';

export function LatestSignUps({ users, projectId }: { users: readonly User[]; projectId: string }) {
  return (
    <Card
      title={t`Latest sign-ups`}
      labelId="latest-title"
      flush
      actions={
        <AppLink href={`/projects/${projectId}/users`} size="sm">
          <Trans>All users</Trans>
        </AppLink>
      }
    >
      <ul className={classes.people}>
        {users.map((user) => (
          <li key={user.id}>
            <PlainLink href={`/projects/${projectId}/users/${user.id}`} className={classes.person}>
              <UserAvatar id={user.id} name={userName(user)} />
              <span className={classes.personText}>
                <span>{userName(user)}</span>
                <small>{userSubtitle(user)}</small>
              </span>
              <span className={classes.when}>
                <RelativeTime at={user.signedUpAt} />
              </span>
            </PlainLink>
          </li>
        ))}
      </ul>
    </Card>
  );
}
