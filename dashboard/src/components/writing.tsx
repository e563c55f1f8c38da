import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMoment } from '../lib/moment.ts';
import classes from './writing.module.css';

/** Controls that change something. While a page shows the past, they are disabled, and say why. */
export function Writing({ children }: { children: ReactNode }) {
  if (useMoment().value === null) return children;
  return (
    <fieldset disabled className={classes.writing} title="The past is read-only. Go back to now to make changes.">
      {children}
    </fieldset>
  );
}

/** A part of a page that has no past: its present state is not shown among values of the past. */
export function PresentOnly({ children, p }: { children: ReactNode; p?: 'lg' }) {
  if (useMoment().value === null) return children;
  return (
    <Text size="sm" c="dimmed" p={p}>
      This section shows only the present. Its changes are in the audit log.
    </Text>
  );
}
