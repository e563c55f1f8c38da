import type { User } from '@gatebook/js/admin';
import { Badge } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { PlainLink } from '../../components/app-link.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { methodsOf } from '../../lib/sign-in-methods.ts';
import { userName, userSubtitle } from '../../lib/user-name.ts';
import classes from './users-page.module.css';

type Props = { users: readonly User[]; projectId: string; oldestFirst: boolean; onSort: () => void };

export function UsersTable({ users, projectId, oldestFirst, onSort }: Props) {
  const Arrow = oldestFirst ? IconArrowUp : IconArrowDown;
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">User</th>
          <th scope="col" className={`${classes.wide} ${classes.methods}`}>
            Sign-in methods
          </th>
          <th scope="col" className={`${classes.wide} ${classes.when}`}>
            Last active
          </th>
          <th scope="col" className={classes.when} aria-sort={oldestFirst ? 'ascending' : 'descending'}>
            <button type="button" className={classes.sort} onClick={onSort}>
              Signed up <Arrow size={14} aria-hidden />
            </button>
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <UserRow key={user.id} user={user} href={`/projects/${projectId}/users/${user.id}`} />
        ))}
      </tbody>
    </table>
  );
}

function UserRow({ user, href }: { user: User; href: string }) {
  const methods = methodsOf(user);
  return (
    <tr>
      <td>
        <div className={classes.person}>
          <UserAvatar id={user.id} name={userName(user)} />
          <div className={classes.text}>
            <PlainLink href={href} className={classes.name}>
              {userName(user)}
            </PlainLink>
            <small>{userSubtitle(user)}</small>
          </div>
          {user.restrictedByAdmin && (
            <Badge color="red" variant="light" size="xs">
              Restricted
            </Badge>
          )}
          {user.isAnonymous && (
            <Badge variant="default" size="xs">
              Anonymous
            </Badge>
          )}
        </div>
      </td>
      <td className={`${classes.wide} ${classes.dim}`}>{methods.length > 0 ? methods.join(', ') : 'None'}</td>
      <td className={`${classes.wide} ${classes.dim}`}>
        <RelativeTime at={user.lastActiveAt} />
      </td>
      <td className={classes.dim}>
        <RelativeTime at={user.signedUpAt} />
      </td>
    </tr>
  );
}
