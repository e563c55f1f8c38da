import type { ProjectRole } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { type ReactNode, useContext } from 'react';
import { type Barrier, useReportBarrier } from '../lib/barriers.ts';
import { useMoment } from '../lib/moment.ts';
import { missingRoleNote, NeededRoleContext, RoleContext, useMissingRole } from '../lib/role.ts';
import classes from './writing.module.css';

type WritingProps = { children: ReactNode; needs?: ProjectRole };

/**
 * Controls that change something. While a page shows the past, or if the person's role does not allow it, they are
 * disabled, and the page says why. `needs`: the role, if it is not the one that the page needs.
 */
export function Writing({ children, needs }: WritingProps) {
  const isPast = useMoment().value !== null;
  const missing = useMissingRole(needs);
  const reason = isPast ? readOnlyPast : (missing?.reason ?? null);
  const noteId = useReportBarrier(isPast ? 'past' : (missing?.role ?? null));
  if (reason === null) return children;
  return (
    <fieldset disabled className={classes.writing} title={reason} aria-describedby={noteId}>
      {children}
    </fieldset>
  );
}

const readOnlyPast = t`The past is read-only. Go back to now to make changes.`;

/** What disables controls of a page, for those who can’t point at them. */
export function BarrierNote({ found, id }: { found: readonly Barrier[]; id: string }) {
  const role = useContext(RoleContext);
  const text = found.includes('past') ? readOnlyPast : missingRoleNote(role, found);
  if (text === null) return null;
  return (
    <Text id={id} size="sm" className={classes.note}>
      <IconLock size={14} aria-hidden /> {text}
    </Text>
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
