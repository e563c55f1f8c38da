import { Menu, type MenuProps } from '@mantine/core';
import { cloneElement, type ReactElement, type ReactNode, useEffect, useState } from 'react';

export type OpenedMenuProps = Omit<MenuProps, 'children'> & {
  button: ReactElement<{ autoFocus?: boolean }>;
  children: (menu: typeof Menu) => ReactNode;
};

/** A menu in place of its button, which gets the focus, so that the menu can return it. It opens at once. */
export function OpenedMenu({ button, children, ...menu }: OpenedMenuProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(true), []);
  return (
    <Menu {...menu} opened={isOpen} onChange={setOpen}>
      <Menu.Target>{cloneElement(button, { autoFocus: true })}</Menu.Target>
      <Menu.Dropdown>{children(Menu)}</Menu.Dropdown>
    </Menu>
  );
}
