import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Burger, VisuallyHidden } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { PlainLink } from './app-link.tsx';
import { ColorSchemeToggle } from './color-scheme-toggle.tsx';
import { DisplayMenu } from './display-menu.tsx';
import { lateDialog } from './late-dialog.tsx';
import { Wordmark } from './logo.tsx';
import { OverlayRoot } from './overlay-root.tsx';
import classes from './shell.module.css';
import { UserAvatar } from './user-avatar.tsx';

const SideDrawer = lateDialog(async () => (await import('./side-drawer.tsx')).SideDrawer);

export type NavItem = { href: string; label: string; icon: ReactNode; isCurrent: boolean; isExternal?: boolean };
export type NavGroup = { label: string; items: readonly NavItem[] };
type Account = { id: string; name: string; email: string | null };
type ShellProps = {
  /** Current path. A change closes the menu and moves the focus to the page. */
  path: string;
  switcher: ReactNode;
  groups: readonly NavGroup[];
  account: Account | null;
  onSignOut: () => void;
  children: ReactNode;
};

/** The layout of every page that requires sign-in. */
export function Shell({ path, children, ...side }: ShellProps) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const lastPath = useRef(path);
  useEffect(() => {
    if (lastPath.current === path) return;
    lastPath.current = path;
    setMenuOpen(false);
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip}>
        <Trans>Skip to content</Trans>
      </a>
      <header className={classes.top}>
        <Burger
          size="sm"
          opened={isMenuOpen}
          onClick={() => setMenuOpen(true)}
          aria-label={t`Open menu`}
          aria-expanded={isMenuOpen}
        />
        <PlainLink href="/projects" className={classes.home} aria-label={t`Gatebook, all projects`}>
          <Wordmark />
        </PlainLink>
      </header>
      <aside className={classes.side} aria-label={t`Sidebar`}>
        <Side {...side} />
      </aside>
      <SideDrawer isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
        <Side {...side} isInDrawer />
      </SideDrawer>
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        {children}
        <OverlayRoot />
      </main>
    </div>
  );
}

function Side({ switcher, groups, account, onSignOut, isInDrawer = false }: SideProps) {
  return (
    <div className={classes.sideInner}>
      {!isInDrawer && (
        <PlainLink href="/projects" className={classes.home} aria-label={t`Gatebook, all projects`}>
          <Wordmark />
        </PlainLink>
      )}
      {switcher}
      <nav aria-label={t`Main`} className={classes.nav}>
        {groups.map((group) => (
          <div key={group.label}>
            <h2 className={classes.groupLabel}>{group.label}</h2>
            <ul className={classes.list}>
              {group.items.map((item) => (
                <li key={item.href}>
                  <NavLink item={item} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className={classes.foot}>
        {account && (
          <a href="/handler/account-settings" className={classes.account}>
            <VisuallyHidden>
              <Trans>Account settings:</Trans>{' '}
            </VisuallyHidden>
            <UserAvatar id={account.id} name={account.name} size={28} />
            <div className={classes.accountText}>
              <span>{account.name}</span>
              {account.email !== account.name && <small>{account.email}</small>}
            </div>
          </a>
        )}
        <DisplayMenu />
        <ColorSchemeToggle />
        <ActionIcon variant="subtle" color="gray" aria-label={t`Sign out`} title={t`Sign out`} onClick={onSignOut}>
          <IconLogout size={17} aria-hidden />
        </ActionIcon>
      </div>
    </div>
  );
}
type SideProps = Omit<ShellProps, 'path' | 'children'> & { isInDrawer?: boolean };

function NavLink({ item }: { item: NavItem }) {
  const content = (
    <>
      {item.icon}
      <span>{item.label}</span>
    </>
  );
  if (item.isExternal) {
    return (
      <a href={item.href} className={classes.link}>
        {content}
      </a>
    );
  }
  return (
    <PlainLink href={item.href} className={classes.link} {...(item.isCurrent && { 'aria-current': 'page' })}>
      {content}
    </PlainLink>
  );
}
