import { type ReactNode, useCallback, useState } from 'react';
import { NoticeContext } from '../../lib/notices.ts';
import classes from './changes.module.css';
import { Toast } from './toast.tsx';
import { UndoToast, type UndoToastProps } from './undo-toast.tsx';

/** Shows and announces the toasts of a project. */
export function Toasts({ children, ...undo }: UndoToastProps & { children: ReactNode }) {
  const [notice, setNotice] = useState<string | null>(null);
  const dismiss = useCallback(() => setNotice(null), []);
  return (
    <NoticeContext value={setNotice}>
      {children}
      <div role="status" className={classes.toasts}>
        {notice !== null && <Toast onDismiss={dismiss}>{notice}</Toast>}
        <UndoToast {...undo} />
      </div>
    </NoticeContext>
  );
}
