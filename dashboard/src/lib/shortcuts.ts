import { t } from '@lingui/core/macro';
import { useEffect, useRef } from 'react';

const KEY = 'gatebook-shortcuts';

/** Shortcuts of a single character can be switched off, because speech input types them by accident (WCAG 2.1.4). */
export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

/** Does nothing if the browser's storage is full or switched off. */
export function switchShortcuts(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {}
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input:not([type="checkbox"]), textarea, select') !== null);

/** Dialogs and menus have their own keys. */
const isCovered = (): boolean => document.querySelector('[role="dialog"], [role="menu"]') !== null;

/** Pages that `g` and another character lead to. `path`: within the project; null: outside of all. */
export const goTargets: readonly { key: string; path: string | null; label: string }[] = [
  { key: 'o', path: '', label: t`Overview` },
  { key: 'u', path: '/users', label: t`Users` },
  { key: 't', path: '/teams', label: t`Teams` },
  { key: 'p', path: '/permissions', label: t`Permissions` },
  { key: 'l', path: '/audit-log', label: t`Audit log` },
  { key: 'e', path: '/emails', label: t`Emails` },
  { key: 's', path: '/settings', label: t`Settings` },
  { key: 'h', path: null, label: t`All projects` },
];

/**
 * Calls the function of a pressed character, while nobody types and no dialog is open. A function that returns false
 * leaves the key to others.
 */
export function useShortcuts(shortcuts: Readonly<Record<string, () => unknown>>): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const run = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (!run || isTyping(event.target) || isCovered() || !areShortcutsOn()) return;
      if (run() !== false) event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** How long `g` waits for the next character. */
const SEQUENCE_MS = 1_500;

/** `g` and another character go to a page. */
export function useGoShortcuts(go: (path: string | null) => void): void {
  const startedAt = useRef(Number.NEGATIVE_INFINITY);
  const targets = goTargets.map(({ key, path }) => {
    const follow = () => {
      if (performance.now() - startedAt.current > SEQUENCE_MS) return false;
      startedAt.current = Number.NEGATIVE_INFINITY;
      return go(path);
    };
    return [key, follow] as const;
  });
  const start = (): void => {
    startedAt.current = performance.now();
  };
  useShortcuts({ ...Object.fromEntries(targets), g: start });
}
