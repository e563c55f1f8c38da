import { ActionIcon, Menu } from '@mantine/core';
import {
  IconBan,
  IconDots,
  IconDownload,
  IconKey,
  IconLockOpen,
  IconMail,
  IconSpy,
  IconTrash,
} from '@tabler/icons-react';
import { useMayActAs } from '../../lib/role.ts';

type Props = {
  isRestricted: boolean;
  onPassword: () => void;
  onReset: () => void;
  onImpersonate: () => void;
  onExport: () => void;
  onRestrict: () => void;
  onLift: () => void;
  onDelete: () => void;
};

export function UserMenu({ isRestricted, ...on }: Props) {
  const { onPassword, onReset, onImpersonate, onExport, onRestrict, onLift, onDelete } = on;
  const isDeveloper = useMayActAs('developer');
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More actions">
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconKey size={16} aria-hidden />} disabled={!isDeveloper} onClick={onPassword}>
          Set password
        </Menu.Item>
        <Menu.Item leftSection={<IconMail size={16} aria-hidden />} onClick={onReset}>
          Send password reset
        </Menu.Item>
        <Menu.Item leftSection={<IconSpy size={16} aria-hidden />} disabled={!isDeveloper} onClick={onImpersonate}>
          Impersonate
        </Menu.Item>
        <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={onExport}>
          Export user data
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconBan size={16} aria-hidden />} onClick={onRestrict}>
          {isRestricted ? 'Edit restriction' : 'Restrict user'}
        </Menu.Item>
        {isRestricted && (
          <Menu.Item leftSection={<IconLockOpen size={16} aria-hidden />} onClick={onLift}>
            Lift restriction
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          disabled={!isDeveloper}
          onClick={onDelete}
        >
          Delete user
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
