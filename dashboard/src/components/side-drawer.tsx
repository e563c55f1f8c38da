import { t } from '@lingui/core/macro';
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './shell.module.css';

type Props = { isOpen: boolean; onClose: () => void; children: ReactNode };

/** The navigation on phones. */
export function SideDrawer({ isOpen, onClose, children }: Props) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      size={280}
      title={t`Menu`}
      hiddenFrom="md"
      classNames={{ content: classes.drawer, body: classes.drawerBody }}
    >
      {children}
    </Drawer>
  );
}
