import { useBlocker } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from 'react';
import { createUnsavedChanges, UnsavedContext } from './lib/unsaved.ts';

const loadDialog = () => import('./leave-dialog.tsx');
const LeaveDialog = lazy(loadDialog);

type Place = { pathname: string; search: unknown };
const isSamePage = (one: Place, other: Place): boolean =>
  one.pathname === other.pathname && JSON.stringify(one.search) === JSON.stringify(other.search);

/**
 * Asks before somebody leaves a page with unsaved changes: by a link, the browser's buttons, or closing the tab. The
 * dialog is loaded with the first change, so that it also opens without a connection.
 */
export function UnsavedGuard({ children }: { children: ReactNode }) {
  const [changes] = useState(() => createUnsavedChanges(() => void loadDialog().catch(() => undefined)));
  const shouldBlockFn = useCallback(
    ({ current, next }: { current: Place; next: Place }) => changes.has() && !isSamePage(current, next),
    [changes],
  );
  const { status, proceed, reset } = useBlocker({ shouldBlockFn, enableBeforeUnload: changes.has, withResolver: true });
  const isBlocked = status === 'blocked';
  const hasBlocked = useRef(isBlocked);
  if (isBlocked) hasBlocked.current = true;
  return (
    <UnsavedContext value={changes}>
      {children}
      <Suspense>
        {hasBlocked.current && <LeaveDialog isOpen={isBlocked} onStay={() => reset?.()} onLeave={() => proceed?.()} />}
      </Suspense>
    </UnsavedContext>
  );
}
