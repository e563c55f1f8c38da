import { t } from '@lingui/core/macro';
import { CloseButton } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './changes.module.css';

const SHOWN_MS = 10_000;

type ToastProps = {
  children: ReactNode;
  /** A new function starts the time again. */
  onDismiss: () => void;
  /** Stays until it is dismissed. */
  isKept?: boolean;
  actions?: ReactNode;
  /** Below the rest. */
  note?: ReactNode;
};

export function Toast({ children, onDismiss, isKept = false, actions, note }: ToastProps) {
  useEffect(() => {
    if (isKept) return;
    const timer = setTimeout(onDismiss, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isKept, onDismiss]);
  return (
    <div className={classes.toast}>
      <span>{children}</span>
      {actions}
      <CloseButton size="sm" aria-label={t`Dismiss`} onClick={onDismiss} />
      {note}
    </div>
  );
}
