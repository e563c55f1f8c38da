import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { createUnsavedChanges, type LeaveQuestion, UnsavedContext } from './lib/unsaved.ts';
import { useRouter } from './router/router-view.tsx';

const loadDialog = () => import('./leave-dialog.tsx');
const LeaveDialog = lazy(loadDialog);

type Place = { pathname: string; search: string };
const isSamePage = (one: Place, other: Place): boolean =>
  one.pathname === other.pathname && one.search === other.search;

/** What the dialog asks. It is kept while the dialog closes. */
type Asked = { question: LeaveQuestion; isOpen: boolean; answer: (isStaying: boolean) => void };

/**
 * Asks before somebody leaves a page with unsaved changes: by a link, the browser's buttons, or closing the tab. The
 * dialog is loaded with the first change, so that it also opens without a connection.
 */
export function UnsavedGuard({ children }: { children: ReactNode }) {
  const [changes] = useState(() => createUnsavedChanges(() => void loadDialog().catch(() => undefined)));
  const [asked, setAsked] = useState<Asked | null>(null);
  const { history } = useRouter();
  useEffect(() => {
    const ask = (question: LeaveQuestion): Promise<boolean> =>
      new Promise((resolve) => {
        const answer = (isStaying: boolean): void => {
          setAsked({ question, isOpen: false, answer });
          resolve(isStaying);
        };
        setAsked({ question, isOpen: true, answer });
      });
    return history.block({
      blockerFn: ({ currentLocation, nextLocation }) => {
        const question = changes.question();
        return question !== null && !isSamePage(currentLocation, nextLocation) && ask(question);
      },
      enableBeforeUnload: () => changes.question() !== null,
    });
  }, [history, changes]);
  return (
    <UnsavedContext value={changes}>
      {children}
      <Suspense>
        {asked && (
          <LeaveDialog
            question={asked.question}
            isOpen={asked.isOpen}
            onStay={() => asked.answer(true)}
            onLeave={() => asked.answer(false)}
          />
        )}
      </Suspense>
    </UnsavedContext>
  );
}
