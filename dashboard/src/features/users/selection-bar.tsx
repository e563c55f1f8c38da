import type { AuditClient, UserCount, UsersClient } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, CloseButton } from '@mantine/core';
import {
  IconBan,
  IconChevronDown,
  IconDownload,
  IconLockOpen,
  IconLogout,
  IconShieldCheck,
  IconTrash,
  IconUsersGroup,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { BatchType } from '../../components/batches/batch.ts';
import { lateDialog } from '../../components/late-dialog.tsx';
import { LateMenu, type LateMenuParts } from '../../components/late-menu.tsx';
import { Writing } from '../../components/writing.tsx';
import { formatCount } from '../../lib/format.ts';
import { useMayActAs } from '../../lib/role.ts';
import { readAllMatching } from './all-matching.ts';
import type { BatchParts } from './batch-dialog.tsx';
import classes from './users-page.module.css';

const ExportUsersDialog = lateDialog(async () => (await import('./export-users-dialog.tsx')).ExportUsersDialog);
const BatchDialog = lateDialog(
  async () => (await import('./batch-dialog.tsx')).BatchDialog,
  ({ type }) => type !== null,
);

type Props = BatchParts & {
  audit: Pick<AuditClient, 'recordUserExport'>;
  users: Pick<UsersClient, 'search'>;
  /** All of the page are selected, and there are other pages. */
  canSelectAll: boolean;
};

type Action = { type: BatchType; label: string; icon: ReactNode; needs?: 'developer' };
const actions: readonly Action[] = [
  { type: 'restrict', label: t`Restrict`, icon: <IconBan size={16} aria-hidden /> },
  { type: 'lift_restriction', label: t`Lift restriction`, icon: <IconLockOpen size={16} aria-hidden /> },
  { type: 'sign_out', label: t`Sign out everywhere`, icon: <IconLogout size={16} aria-hidden /> },
  { type: 'add_to_team', label: t`Add to team`, icon: <IconUsersGroup size={16} aria-hidden /> },
  {
    type: 'grant_permission',
    label: t`Grant permission`,
    icon: <IconShieldCheck size={16} aria-hidden />,
    needs: 'developer',
  },
];

/** How many users are selected, and what can be done with them. */
export function SelectionBar(props: Props) {
  const { state, users, audit, filters, total, canSelectAll } = props;
  const { selected, selectAll, clear } = state;
  const [open, setOpen] = useState<BatchType | 'export' | null>(null);
  const isAll = selected.kind === 'all';
  const all =
    total === null ? t`all users` : t`all ${atLeast(total)}${plural(total.count, { one: '# user', other: '# users' })}`;
  const isDeveloper = useMayActAs('developer');
  const item = (Menu: LateMenuParts, { type, label, icon, needs }: Action, color?: string) => (
    <Menu.Item
      key={type}
      leftSection={icon}
      disabled={needs !== undefined && !isDeveloper}
      onClick={() => setOpen(type)}
      {...(color && { color })}
    >
      {label}
    </Menu.Item>
  );
  return (
    <section className={classes.selection} aria-label={t`Selected users`}>
      <strong role="status">
        {isAll ? t`Selected ${all} that match` : t`${formatCount(selected.users.size)} selected`}
      </strong>
      {!isAll && canSelectAll && (
        <Button size="compact-sm" variant="subtle" onClick={selectAll}>
          {t`Select ${all} that match`}
        </Button>
      )}
      <span className={classes.selectionActions}>
        <Writing>
          <LateMenu
            position="bottom-end"
            withinPortal
            button={
              <Button size="xs" rightSection={<IconChevronDown size={14} aria-hidden />}>
                <Trans>Actions</Trans>
              </Button>
            }
          >
            {(Menu) => (
              <>
                {actions.map((action) => item(Menu, action))}
                <Menu.Divider />
                <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={() => setOpen('export')}>
                  <Trans>Export</Trans>
                </Menu.Item>
                {item(
                  Menu,
                  { type: 'delete', label: t`Delete`, icon: <IconTrash size={16} aria-hidden />, needs: 'developer' },
                  'red',
                )}
              </>
            )}
          </LateMenu>
        </Writing>
        <CloseButton size="sm" aria-label={t`Clear selection`} onClick={clear} />
      </span>
      <BatchDialog {...props} type={open === 'export' ? null : open} onClose={() => setOpen(null)} />
      <ExportUsersDialog
        isOpen={open === 'export'}
        onClose={() => setOpen(null)}
        description={
          isAll
            ? t`All users who match the filters.`
            : plural(selected.users.size, { one: '# selected user', other: '# selected users' })
        }
        readPages={async function* () {
          if (selected.kind === 'some') yield [...selected.users.values()];
          else yield* readAllMatching(users, filters());
        }}
        record={(format) => audit.recordUserExport({ format, filters: isAll ? filters() : 'selection' })}
      />
    </section>
  );
}

const atLeast = ({ isComplete }: UserCount): string => (isComplete ? '' : t`at least `);
