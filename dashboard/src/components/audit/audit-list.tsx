import type { AuditClient, AuditEvent, AuditFilters } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { type ReactNode, useDeferredValue } from 'react';
import { useIsUtc } from '../../lib/zone.ts';
import { ErrorNote, RowsLoading } from '../states.tsx';
import classes from './audit.module.css';
import { AuditEntry } from './audit-entry.tsx';
import { groupEvents } from './audit-pages.ts';
import type { OnFilter } from './audit-search.ts';
import { useAuditList } from './use-audit-list.ts';

/** They fill a screen of usual height. */
const SEEN_FIRST = 15;

export type AuditListProps = {
  audit: AuditClient;
  projectId: string;
  filters: AuditFilters;
  /** The ID of the event whose details are open. */
  openId?: string | undefined;
  onOpen: (eventId: string | undefined) => void;
  /** Absent: values in the list do not filter it. */
  onFilter?: OnFilter;
  /** The ID of the user whose history this is. */
  self?: string;
  empty: ReactNode;
};

/** Events by day and request, newest first. */
export function AuditList({ audit, projectId, filters, empty, ...entry }: AuditListProps) {
  const { shown, error, isFetching, refresh, newerCount, showNewer, older } = useAuditList(audit, projectId, filters);
  if (error !== undefined && shown === undefined) {
    return (
      <ErrorNote title={t`The events could not be loaded`} error={error} onRetry={refresh} isRetrying={isFetching} />
    );
  }
  if (shown === undefined) return <RowsLoading rows={8} label={t`Loading events`} />;
  return (
    <>
      <div aria-live="polite" className={classes.newer}>
        {newerCount > 0 && (
          <Button
            size="xs"
            radius="xl"
            leftSection={<IconArrowUp size={14} aria-hidden />}
            onClick={() => void showNewer()}
          >
            <Trans>Show {plural(newerCount, { one: '# new event', other: '# new events' })}</Trans>
          </Button>
        )}
      </div>
      {shown.items.length === 0 && empty}
      <Days events={shown.items} audit={audit} projectId={projectId} {...entry} />
      {older.load && (
        <div className={classes.more}>
          {older.error !== undefined && <ErrorNote error={older.error} />}
          <Button variant="default" size="xs" loading={older.isRunning} onClick={older.load}>
            <Trans>Load older events</Trans>
          </Button>
        </div>
      )}
    </>
  );
}

type DaysProps = Omit<AuditListProps, 'filters' | 'empty'> & { events: readonly AuditEvent[] };

function Days({ events, ...entry }: DaysProps) {
  const isUtc = useIsUtc();
  // What is only seen by scrolling must not delay what is seen first.
  const hasAll = useDeferredValue(true, false);
  return groupEvents(hasAll ? events : events.slice(0, SEEN_FIRST), isUtc).map(({ day, actions }) => (
    <section key={day} aria-busy={!hasAll}>
      <h3 className={classes.day}>{day}</h3>
      <ol className={classes.entries}>
        {actions.map((action) => (
          <AuditEntry key={action.id} action={action} {...entry} />
        ))}
      </ol>
    </section>
  ));
}
