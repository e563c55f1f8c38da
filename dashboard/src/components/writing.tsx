import type { ProjectRole } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMoment } from '../lib/moment.ts';
import { NeededRoleContext, useMissingRole } from '../lib/role.ts';
import classes from './writing.module.css';

type WritingProps = { children: ReactNode; needs?: ProjectRole };

/**
 * Controls that change something. While a page shows the past, or if the person's role does not allow it, they are
 * disabled, and say why. `needs`: the role, if it is not the one that the page needs.
 */
export function Writing({ children, needs }: WritingProps) {
  const isPast = useMoment().value !== null;
  const missing = useMissingRole(needs);
  const reason = isPast ? t`The past is read-only. Go back to now to make changes.` : missing;
  if (reason === null) return children;
  return (
    <fieldset disabled className={classes.writing} title={reason}>
      {children}
    </fieldset>
  );
}

/** The role that controls of these pages need, unless they name another one. */
export function Needs({ least, children }: { least: ProjectRole; children: ReactNode }) {
  return <NeededRoleContext value={least}>{children}</NeededRoleContext>;
}

/** A part of a page that has no past: its present state is not shown among values of the past. */
export function PresentOnly({ children, p }: { children: ReactNode; p?: 'lg' }) {
  if (useMoment().value === null) return children;
  return (
    <Text size="sm" c="dimmed" p={p}>
      <Trans>This section shows only the present. Its changes are in the audit log.</Trans>
    </Text>
  );
}
