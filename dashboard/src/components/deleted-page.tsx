import type { DeletedItemsClient, PreviewedCall } from '@gatebook/js/admin';
import { useAction, useResourceCache } from '@gatebook/react';
import { select, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { IconArrowBackUp, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTitle } from '../lib/use-title.ts';
import { LinkButton } from './app-link.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import classes from './deleted-page.module.css';
import { Page } from './page.tsx';
import { usePagedList } from './paged-list.tsx';
import { RelativeTime } from './relative-time.tsx';
import { Card, EmptyNote, ErrorNote, RowsLoading } from './states.tsx';
import { Table } from './table.tsx';
import { UserAvatar } from './user-avatar.tsx';
import { Writing } from './writing.tsx';

type Item = { id: string; deletedAt: Date; erasedAt: Date };
type Described = { name: string; note: string };

type Props<Deleted extends Item> = {
  /** As in a sentence. */
  kind: 'user' | 'team' | 'project';
  /** What comes back, and what does not. */
  lead: string;
  client: DeletedItemsClient<Deleted>;
  /** Where a deletion is delayed. */
  setting: string;
  settingHref?: string;
  back: { href: string; label: string };
  scope: string;
  projectName?: string | undefined;
  describe: (item: Deleted) => Described;
  /** Keys of resources that change when something is restored. */
  changes: readonly (readonly string[])[];
};

/** What was deleted and can be restored until its grace period ends. */
export function DeletedPage<Deleted extends Item>(props: Props<Deleted>) {
  const { kind, lead, client, setting, settingHref, back, scope, projectName, describe, changes } = props;
  const title = select(kind, { user: 'Deleted users', team: 'Deleted teams', other: 'Deleted projects' });
  useTitle(title, projectName);
  const cache = useResourceCache();
  const [erasing, setErasing] = useState<Deleted | null>(null);
  const list = usePagedList([`deleted-${kind}s`, scope], client.listDeleted);
  const reload = () => Promise.all([list.refresh(), ...changes.map((key) => cache.invalidate(key))]);
  const restore = useAction(async (id: string) => {
    await client.restore(id);
    await reload();
  });
  const error = list.error ?? restore.error;
  return (
    <Page title={title} lead={lead} back={back}>
      {error !== undefined && <ErrorNote error={error} onRetry={list.refresh} isRetrying={list.isFetching} />}
      {(list.value !== undefined || list.error === undefined) && (
        <Card flush>
          {list.value === undefined && (
            <RowsLoading
              rows={4}
              label={select(kind, {
                user: 'Loading deleted users',
                team: 'Loading deleted teams',
                other: 'Loading deleted projects',
              })}
            />
          )}
          {list.value?.length === 0 && (
            <EmptyNote
              icon={<IconTrash size={22} aria-hidden />}
              title={select(kind, { user: 'No deleted users', team: 'No deleted teams', other: 'No deleted projects' })}
              action={
                settingHref && (
                  <LinkButton href={settingHref} variant="default">
                    <Trans>Open settings</Trans>
                  </LinkButton>
                )
              }
            >
              {setting}
            </EmptyNote>
          )}
          {list.value && list.value.length > 0 && (
            <DeletedTable
              kind={kind}
              items={list.value}
              describe={describe}
              isRestoring={restore.isRunning}
              onRestore={(id) => void restore.run(id)}
              onErase={setErasing}
            />
          )}
          {list.pager}
        </Card>
      )}
      <ConfirmDialog
        isOpen={erasing !== null}
        onClose={() => setErasing(null)}
        title={select(kind, {
          user: 'Erase this user now?',
          team: 'Erase this team now?',
          other: 'Erase this project now?',
        })}
        call={erasing ? callOfErasure(kind, erasing.id) : undefined}
        confirmLabel={select(kind, { user: 'Erase user', team: 'Erase team', other: 'Erase project' })}
        onConfirm={async () => {
          if (erasing) await client.erase(erasing.id);
          await reload();
        }}
      >
        <Trans>
          Erases all data of {erasing && describe(erasing).name} without waiting for the grace period. This cannot be
          undone.
        </Trans>
      </ConfirmDialog>
    </Page>
  );
}

/** None of a project, which is shown outside of any. */
const callOfErasure = (kind: Props<Item>['kind'], id: string): PreviewedCall | undefined =>
  kind === 'project' ? undefined : { method: 'POST', path: `/internal/${kind}s/${id}/erase` };

type TableProps<Deleted> = Pick<Props<Deleted & Item>, 'kind' | 'describe'> & {
  items: readonly Deleted[];
  isRestoring: boolean;
  onRestore: (id: string) => void;
  onErase: (item: Deleted) => void;
};

function DeletedTable<Deleted extends Item>({
  kind,
  items,
  describe,
  isRestoring,
  onRestore,
  onErase,
}: TableProps<Deleted>) {
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col" className={classes.kind}>
            {select(kind, { user: 'User', team: 'Team', other: 'Project' })}
          </th>
          <th scope="col" className={`${classes.wide} ${classes.when}`}>
            <Trans>Deleted</Trans>
          </th>
          <th scope="col" className={`${classes.wide} ${classes.when}`}>
            <Trans>Erased</Trans>
          </th>
          <th scope="col" className={classes.actions}>
            <Trans>Actions</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => {
          const { name, note } = describe(item);
          return (
            <tr key={item.id}>
              <td>
                <div className={classes.item}>
                  <UserAvatar id={item.id} name={name} />
                  <div className={classes.text}>
                    <span>{name}</span>
                    <small>{note}</small>
                    <Text component="small" hiddenFrom="sm">
                      <Trans>
                        Erased <RelativeTime at={item.erasedAt} />
                      </Trans>
                    </Text>
                  </div>
                </div>
              </td>
              <td className={`${classes.wide} ${classes.dim}`}>
                <RelativeTime at={item.deletedAt} />
              </td>
              <td className={`${classes.wide} ${classes.dim}`}>
                <RelativeTime at={item.erasedAt} />
              </td>
              <td>
                <Writing>
                  <Group gap="xs" justify="flex-end">
                    <Button
                      size="xs"
                      variant="default"
                      disabled={isRestoring}
                      leftSection={<IconArrowBackUp size={14} aria-hidden />}
                      aria-label={t`Restore ${name}`}
                      onClick={() => onRestore(item.id)}
                    >
                      <Trans>Restore</Trans>
                    </Button>
                    <Writing needs="developer">
                      <Button
                        size="xs"
                        variant="subtle"
                        color="red"
                        aria-label={t`Erase ${name} now`}
                        onClick={() => onErase(item)}
                      >
                        <Trans>Erase now</Trans>
                      </Button>
                    </Writing>
                  </Group>
                </Writing>
              </td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
