import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import {
  IconArrowMerge,
  IconBan,
  IconDots,
  IconDownload,
  IconKey,
  IconLockOpen,
  IconMail,
  IconSpy,
  IconTrash,
} from '@tabler/icons-react';
import { LateMenu } from '../../components/late-menu.tsx';
import { useMayActAs } from '../../lib/role.ts';

type Props = {
  isRestricted: boolean;
  onPassword: () => void;
  onReset: () => void;
  onImpersonate: () => void;
  onExport: () => void;
  onRestrict: () => void;
  onLift: () => void;
  onMerge: () => void;
  onDelete: () => void;
};

export function UserMenu({ isRestricted, ...on }: Props) {
  const { onPassword, onReset, onImpersonate, onExport, onRestrict, onLift, onMerge, onDelete } = on;
  const isDeveloper = useMayActAs('developer');
  return (
    <LateMenu
      position="bottom-end"
      withinPortal
      button={
        <ActionIcon variant="default" size={36} aria-label={t`More actions`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          <Menu.Item leftSection={<IconKey size={16} aria-hidden />} disabled={!isDeveloper} onClick={onPassword}>
            <Trans>Set password</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconMail size={16} aria-hidden />} onClick={onReset}>
            <Trans>Send password reset</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconSpy size={16} aria-hidden />} disabled={!isDeveloper} onClick={onImpersonate}>
            <Trans>Impersonate</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={onExport}>
            <Trans>Export user data</Trans>
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconBan size={16} aria-hidden />} onClick={onRestrict}>
            {isRestricted ? t`Edit restriction` : t`Restrict user`}
          </Menu.Item>
          {isRestricted && (
            <Menu.Item leftSection={<IconLockOpen size={16} aria-hidden />} onClick={onLift}>
              <Trans>Lift restriction</Trans>
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<IconArrowMerge size={16} aria-hidden />} disabled={!isDeveloper} onClick={onMerge}>
            <Trans>Merge with another user</Trans>
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            disabled={!isDeveloper}
            onClick={onDelete}
          >
            <Trans>Delete user</Trans>
          </Menu.Item>
        </>
      )}
    </LateMenu>
  );
}
