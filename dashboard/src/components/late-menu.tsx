import type { Menu, MenuProps } from '@mantine/core';
import { cloneElement, type ReactElement, useState } from 'react';
import { late, useLate } from '../lib/late.ts';
import type { OpenedMenu, OpenedMenuProps } from './opened-menu.tsx';

type ButtonProps = { 'aria-haspopup'?: string; 'aria-expanded'?: boolean; onClick?: () => void; autoFocus?: boolean };
/** The parts of a menu, which come with its code. */
export type LateMenuParts = typeof Menu;
type LateMenuProps = Omit<MenuProps, 'children'> & {
  button: ReactElement<ButtonProps>;
  children: OpenedMenuProps['children'];
};

const code = late<typeof OpenedMenu>(async () => (await import('./opened-menu.tsx')).OpenedMenu);

/** A menu whose code is loaded after its page. Until it is first opened, only its button is there. */
export function LateMenu(props: LateMenuProps) {
  const [isOpened, setOpened] = useState(false);
  const Opened = useLate(code, isOpened, () => setOpened(false));
  if (isOpened && Opened) return <Opened {...props} />;
  return cloneElement(props.button, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setOpened(true),
  });
}
