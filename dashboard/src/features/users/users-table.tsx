import type { User } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Checkbox } from '@mantine/core';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { RelativeTime } from '../../components/relative-time.tsx';
import { RowLink, SortableHead, type SortProps, Table } from '../../components/table.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { countryName } from '../../lib/country-name.ts';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { methodsOf } from '../../lib/sign-in-methods.ts';
import { userName, userSubtitle } from '../../lib/user-name.ts';
import { type ColumnName, columnNames, type TableSettings } from './table-settings.ts';
import classes from './users-page.module.css';
import type { UserListOrder } from './users-search.ts';

export type UserSelection = {
  has: (userId: string) => boolean;
  /** Selects or deselects users of the page. */
  set: (users: readonly User[], isSelected: boolean) => void;
};

type Props = SortProps<UserListOrder> & {
  users: readonly User[];
  projectId: string;
  settings: TableSettings;
  /** null: nothing can be selected. */
  selection: UserSelection | null;
};

/** j and k move between the users, x selects one, and Enter follows the link. */
export function UsersTable({ users, projectId, order, settings: { columns, isCompact }, selection, onSort }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  useRowShortcuts(body, (userId) => {
    const user = users.find(({ id }) => id === userId);
    if (user) selection?.set([user], !selection.has(user.id));
  });
  const selected = users.filter(({ id }) => selection?.has(id)).length;
  return (
    <Table isCompact={isCompact} className={columns.includes('email') ? classes.withEmail : undefined}>
      <thead>
        <tr>
          {selection && (
            <th scope="col" className={classes.check}>
              <Checkbox
                size="xs"
                aria-label={t`Select all users on this page`}
                checked={selected === users.length}
                indeterminate={selected > 0 && selected < users.length}
                onChange={(event) => selection.set(users, event.currentTarget.checked)}
              />
            </th>
          )}
          <SortableHead
            title={t`User`}
            first={['name', 'ascending']}
            second={['name-reversed', 'descending']}
            order={order}
            onSort={onSort}
          />
          {columns.map((name) => (
            <ColumnHead key={name} name={name} order={order} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {users.map((user) => (
          <tr key={user.id} {...(selection?.has(user.id) && { 'data-selected': true })}>
            {selection && (
              <td className={classes.check}>
                <Checkbox
                  size="xs"
                  aria-label={t`Select ${userName(user)}`}
                  checked={selection.has(user.id)}
                  onChange={(event) => selection.set([user], event.currentTarget.checked)}
                />
              </td>
            )}
            <Person user={user} href={`/projects/${projectId}/users/${user.id}`} isCompact={isCompact} />
            {columns.map((name) => (
              <td key={name} className={`${columnClass(name)} ${classes.dim}`}>
                {cells[name](user)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function useRowShortcuts(
  body: React.RefObject<HTMLTableSectionElement | null>,
  select: (userId: string) => void,
): void {
  const links = () => [...(body.current?.querySelectorAll<HTMLElement>('a[data-user-id]') ?? [])];
  const current = () => links().findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  useShortcuts({
    j: () => links()[current() + 1]?.focus(),
    k: () => links()[current() === -1 ? links().length - 1 : current() - 1]?.focus(),
    x: () => {
      const userId = links()[current()]?.dataset.userId;
      if (userId !== undefined) select(userId);
    },
  });
}

const cells: Readonly<Record<ColumnName, (user: User) => ReactNode>> = {
  email: ({ primaryEmail }) => primaryEmail ?? t`No email`,
  methods: (user) => methodsOf(user).join(', ') || t`None`,
  verified: ({ primaryEmail, primaryEmailVerified }) =>
    primaryEmail === null ? t`No email` : primaryEmailVerified ? t`Verified` : t`Not verified`,
  country: ({ countryCode }) => (countryCode === null ? t`Unknown` : countryName(countryCode)),
  id: ({ id }) => <code className={classes.idText}>{id}</code>,
  active: ({ lastActiveAt }) => <RelativeTime at={lastActiveAt} />,
  signedUp: ({ signedUpAt }) => <RelativeTime at={signedUpAt} />,
};

/** A phone shows the last sortable column only. */
const columnClass = (name: ColumnName): string =>
  [classes[name], name !== 'signedUp' && classes.wide].filter(Boolean).join(' ');

/** Orders of the columns that lists are sorted by: latest first or from A, and the reverse. */
const orders: Partial<
  Record<ColumnName, Pick<ComponentProps<typeof SortableHead<UserListOrder>>, 'first' | 'second'>>
> = {
  email: { first: ['email', 'ascending'], second: ['email-reversed', 'descending'] },
  active: { first: ['active', 'descending'], second: ['inactive', 'ascending'] },
  signedUp: { first: ['newest', 'descending'], second: ['oldest', 'ascending'] },
};

function ColumnHead({ name, ...sort }: { name: ColumnName } & SortProps<UserListOrder>) {
  const ofColumn = orders[name];
  if (!ofColumn) {
    return (
      <th scope="col" className={columnClass(name)}>
        {columnNames[name]}
      </th>
    );
  }
  return <SortableHead title={columnNames[name]} className={columnClass(name)} {...ofColumn} {...sort} />;
}

function Person({ user, href, isCompact }: { user: User; href: string; isCompact: boolean }) {
  return (
    <td>
      <div className={classes.person}>
        <UserAvatar id={user.id} name={userName(user)} size={isCompact ? 22 : 30} />
        <div className={classes.text}>
          <RowLink href={href} data-user-id={user.id}>
            {userName(user)}
          </RowLink>
          <small>{userSubtitle(user)}</small>
        </div>
        {user.restrictedByAdmin && (
          <Badge color="red" variant="light" size="xs" className={classes.badge}>
            <Trans>Restricted</Trans>
          </Badge>
        )}
        {user.isAnonymous && (
          <Badge variant="default" size="xs" className={classes.badge}>
            <Trans>Anonymous</Trans>
          </Badge>
        )}
      </div>
    </td>
  );
}
