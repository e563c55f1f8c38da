import type { DeletedUser, UsersClient } from '@gatebook/js/admin';
import { useAction, useResource, useResourceCache } from '@gatebook/react';
import { Button, Group, Text } from '@mantine/core';
import { IconArrowBackUp, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, EmptyNote, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { userName, userSubtitle } from '../../lib/user-name.ts';
import classes from './users-page.module.css';

const PAGE_SIZE = 25;

type Props = { users: UsersClient; projectId: string; projectName: string | undefined };

/** Users who can be restored until their grace period ends. */
export function DeletedUsersPage({ users, projectId, projectName }: Props) {
  useTitle('Deleted users', projectName);
  const cache = useResourceCache();
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null]);
  const [erasing, setErasing] = useState<DeletedUser | null>(null);
  const cursor = cursors.at(-1) ?? null;
  const list = useResource(['deleted-users', projectId, cursor], () => users.listDeleted({ cursor, limit: PAGE_SIZE }));
  const reload = () =>
    Promise.all([list.refresh(), cache.invalidate(['users', projectId]), cache.invalidate(['metrics', projectId])]);
  const restore = useAction(async (userId: string) => {
    await users.restore(userId);
    await reload();
  });
  const error = list.error ?? restore.error;
  return (
    <Page
      title="Deleted users"
      lead="They can be restored until their personal data is erased. Sessions stay ended and API keys stay revoked."
      back={<AppLink href={`/projects/${projectId}/users`}>Users</AppLink>}
    >
      {error !== undefined && <ErrorNote error={error} onRetry={list.refresh} isRetrying={list.isFetching} />}
      {(list.value !== undefined || list.error === undefined) && (
        <Card flush>
          {list.value === undefined && <RowsLoading rows={4} label="Loading deleted users" />}
          {list.value?.items.length === 0 && (
            <EmptyNote icon={<IconTrash size={22} aria-hidden />} title="No deleted users">
              Deleted users appear here if the project has a grace period. Set it in the project’s settings.
            </EmptyNote>
          )}
          {list.value && list.value.items.length > 0 && (
            <DeletedUsersTable
              users={list.value.items}
              isRestoring={restore.isRunning}
              onRestore={(id) => void restore.run(id)}
              onErase={setErasing}
            />
          )}
          {list.value && (cursors.length > 1 || list.value.nextCursor !== null) && (
            <nav className={classes.pager} aria-label="Pages">
              <Button
                size="xs"
                variant="default"
                disabled={cursors.length === 1}
                onClick={() => setCursors(cursors.slice(0, -1))}
              >
                Previous
              </Button>
              <Button
                size="xs"
                variant="default"
                disabled={list.value.nextCursor === null}
                onClick={() => setCursors([...cursors, list.value?.nextCursor ?? null])}
              >
                Next
              </Button>
            </nav>
          )}
        </Card>
      )}
      <ConfirmDialog
        isOpen={erasing !== null}
        onClose={() => setErasing(null)}
        title="Erase this user now?"
        confirmLabel="Erase user"
        onConfirm={async () => {
          if (erasing) await users.erase(erasing.id);
          await reload();
        }}
      >
        Erases all personal data of {erasing && nameOf(erasing)} without waiting for the grace period. This cannot be
        undone.
      </ConfirmDialog>
    </Page>
  );
}

const nameOf = (user: DeletedUser) => userName({ ...user, isAnonymous: false });

type TableProps = {
  users: readonly DeletedUser[];
  isRestoring: boolean;
  onRestore: (userId: string) => void;
  onErase: (user: DeletedUser) => void;
};

function DeletedUsersTable({ users, isRestoring, onRestore, onErase }: TableProps) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">User</th>
          <th scope="col" className={`${classes.wide} ${classes.when}`}>
            Deleted
          </th>
          <th scope="col" className={`${classes.wide} ${classes.when}`}>
            Erased
          </th>
          <th scope="col" className={classes.actions}>
            Actions
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id}>
            <td>
              <div className={classes.person}>
                <UserAvatar id={user.id} name={nameOf(user)} />
                <div className={classes.text}>
                  <span>{nameOf(user)}</span>
                  <small>
                    {user.deletedByUser ? 'Deleted their account' : userSubtitle({ ...user, isAnonymous: false })}
                  </small>
                  <Text component="small" hiddenFrom="sm">
                    Erased <RelativeTime at={user.erasedAt} />
                  </Text>
                </div>
              </div>
            </td>
            <td className={`${classes.wide} ${classes.dim}`}>
              <RelativeTime at={user.deletedAt} />
            </td>
            <td className={`${classes.wide} ${classes.dim}`}>
              <RelativeTime at={user.erasedAt} />
            </td>
            <td>
              <Group gap="xs" justify="flex-end">
                <Button
                  size="xs"
                  variant="default"
                  disabled={isRestoring}
                  leftSection={<IconArrowBackUp size={14} aria-hidden />}
                  aria-label={`Restore ${nameOf(user)}`}
                  onClick={() => onRestore(user.id)}
                >
                  Restore
                </Button>
                <Button
                  size="xs"
                  variant="subtle"
                  color="red"
                  aria-label={`Erase ${nameOf(user)} now`}
                  onClick={() => onErase(user)}
                >
                  Erase now
                </Button>
              </Group>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
