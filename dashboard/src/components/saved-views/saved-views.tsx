import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button } from '@mantine/core';
import { IconBookmark, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigation } from '../../lib/navigation.ts';
import { lateDialog } from '../late-dialog.tsx';
import { LateMenu } from '../late-menu.tsx';
import classes from './saved-views.module.css';
import { readSavedViews, type SavedView, type ViewedList, writeSavedViews } from './stored-views.ts';

const NameDialog = lateDialog(async () => (await import('../name-dialog.tsx')).NameDialog);

type Props = {
  list: ViewedList;
  projectId: string;
  /** URL of the page, with what is to be saved. */
  href: string;
  /** A name that a view could have. */
  example: string;
};

/** Named sets of filters, stored in this browser. To share one, share the link of the page. */
export function SavedViews({ list, projectId, href, example }: Props) {
  const { go } = useNavigation();
  const [views, setViews] = useState(() => readSavedViews(list, projectId));
  const [isSaving, setSaving] = useState(false);
  const change = (next: readonly SavedView[]): void => {
    writeSavedViews(list, projectId, next);
    setViews(next);
  };
  const [path = '', search] = href.split('?', 2);
  const without = (name: string) => views.filter((view) => view.name !== name);
  return (
    <>
      <LateMenu
        position="bottom-end"
        withinPortal
        width={280}
        button={
          <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />}>
            <Trans>Saved views</Trans>
          </Button>
        }
      >
        {(Menu) => (
          <>
            <Menu.Label>
              <Trans>Saved in this browser</Trans>
            </Menu.Label>
            {views.map(({ name, query }) => (
              <div key={name} className={classes.view}>
                <Menu.Item onClick={() => go(`${path}${query}`)}>{name}</Menu.Item>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t`Delete view ${name}`}
                  onClick={() => change(without(name))}
                >
                  <IconTrash size={15} aria-hidden />
                </ActionIcon>
              </div>
            ))}
            {views.length > 0 && <Menu.Divider />}
            <Menu.Item leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setSaving(true)}>
              <Trans>Save this view</Trans>
            </Menu.Item>
          </>
        )}
      </LateMenu>
      <NameDialog
        isOpen={isSaving}
        onClose={() => setSaving(false)}
        title={t`Save this view`}
        confirmLabel={t`Save view`}
        placeholder={example}
        onConfirm={async (name) => {
          const query = search === undefined ? '' : `?${search}`;
          change([...without(name), { name, query }].sort((one, other) => one.name.localeCompare(other.name)));
        }}
      />
    </>
  );
}
