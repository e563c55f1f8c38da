import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useNavigation } from '../../lib/navigation.ts';
import { useGoShortcuts, useShortcuts } from '../../lib/shortcuts.ts';
import type { Entry } from './entries.ts';
import type { PaletteProps } from './palette.tsx';
import classes from './palette-button.module.css';
import { addRecent } from './recent.ts';

const Palette = lazy(() => import('./palette.tsx'));
const ShortcutHelp = lazy(() => import('./shortcut-help.tsx'));

export type OpenPalette = 'search' | 'help' | null;
type Props = Omit<PaletteProps, 'isOpen' | 'onClose'> & {
  path: string;
  open: OpenPalette;
  setOpen: (open: OpenPalette) => void;
};

/** A page counts as looked at after this time, when it also has its title. */
const LOOKED_AT_MS = 1_500;

/** The command palette and the shortcuts of every page. The palette is loaded when it is first opened. */
export function PaletteHost({ path, open, setOpen, ...palette }: Props) {
  const { go } = useNavigation();
  const projectId = palette.project?.id;
  useShortcuts({
    '/': () => {
      const field = document.querySelector<HTMLElement>('main input[type="search"]');
      if (field) field.focus();
      else setOpen('search');
    },
    '?': () => setOpen('help'),
  });
  useGoShortcuts((target) => {
    if (target === null) go('/projects');
    else if (projectId !== undefined) go(`/projects/${projectId}${target}`);
  });
  useSearchKey(() => setOpen('search'));
  useEffect(() => {
    const timer = setTimeout(() => {
      const label = document.title.replace(/ · Gatebook$/, '');
      if (label !== '') addRecent({ href: path, label });
    }, LOOKED_AT_MS);
    return () => clearTimeout(timer);
  }, [path]);
  const hasOpened = useRef(open);
  if (open !== null) hasOpened.current = open;
  const help: Entry = { id: 'help', label: t`Show keyboard shortcuts`, run: () => setOpen('help') };
  const close = (): void => setOpen(null);
  return (
    <Suspense>
      {hasOpened.current !== null && (
        <>
          <Palette isOpen={open === 'search'} onClose={close} {...palette} actions={[...palette.actions, help]} />
          <ShortcutHelp isOpen={open === 'help'} onClose={close} />
        </>
      )}
    </Suspense>
  );
}

/** Ctrl-K, or Command-K on a Mac, also while somebody types. */
function useSearchKey(open: () => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      // Browsers that fill in a form send events without a key. With Caps Lock it is a capital.
      const isSearchKey = (event.key === 'k' || event.key === 'K') && (event.ctrlKey || event.metaKey);
      if (!isSearchKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Opens the palette for people who don't know its key. */
export function PaletteButton({ onClick }: { onClick: () => void }) {
  return (
    <UnstyledButton className={classes.button} onClick={onClick} aria-keyshortcuts="Control+K Meta+K">
      <IconSearch size={16} aria-hidden />
      <span>
        <Trans>Search</Trans>
      </span>
      <kbd aria-hidden>{isMac() ? '⌘ K' : t`Ctrl K`}</kbd>
    </UnstyledButton>
  );
}

const isMac = (): boolean => /mac|iphone|ipad/i.test(navigator.userAgent);
