import { useBlocker } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from 'react';
import { createUnsavedChanges, type LeaveQuestion, UnsavedContext } from './lib/unsaved.ts';

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
    ({ current, next }: { current: Place; next: Place }) => changes.question() !== null && !isSamePage(current, next),
    [changes],
  );
  const enableBeforeUnload = useCallback(() => changes.question() !== null, [changes]);
  const { status, proceed, reset } = useBlocker({ shouldBlockFn, enableBeforeUnload, withResolver: true });
  const isBlocked = status === 'blocked';
  /** Kept while the dialog closes. */
  const asked = useRef<LeaveQuestion>(null);
  if (isBlocked) asked.current = changes.question() ?? asked.current;
  return (
    <UnsavedContext value={changes}>
      {children}
      <Suspense>
        {asked.current && (
          <LeaveDialog
            question={asked.current}
            isOpen={isBlocked}
            onStay={() => reset?.()}
            onLeave={() => proceed?.()}
          />
        )}
      </Suspense>
    </UnsavedContext>
  );
}
