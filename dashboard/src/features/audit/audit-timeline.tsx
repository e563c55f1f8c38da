import type { AuditClient, AuditFilters } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import classes from '../../components/audit/audit.module.css';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { formatExactTime } from '../../lib/format.ts';

const BUCKETS = 60;

type TimelineProps = {
  audit: AuditClient;
  projectId: string;
  filters: AuditFilters;
  range: { fromMillis: number; untilMillis: number };
  onRange: (range: { from: string; until: string }) => void;
};

/** How many events match over time. A click on a bar shows only its events. */
export function AuditTimeline({ audit, projectId, filters, range, onRange }: TimelineProps) {
  const query = { ...filters, ...range, buckets: BUCKETS };
  const timeline = useResource(['audit-timeline', projectId, JSON.stringify(query)], () => audit.timeline(query));
  if (timeline.error !== undefined && !timeline.value) {
    return <ErrorNote error={timeline.error} onRetry={timeline.refresh} isRetrying={timeline.isFetching} />;
  }
  if (!timeline.value) return <BlockLoading height={72} label={t`Loading timeline`} />;
  const most = Math.max(1, ...timeline.value.map(({ count }) => count));
  const stepMs = (range.untilMillis - range.fromMillis) / timeline.value.length;
  return (
    <fieldset className={classes.timeline} aria-label={t`Events over time`}>
      {timeline.value.map(({ at, count }) => {
        const until = new Date(Math.ceil(at.getTime() + stepMs));
        const label = t`${plural(count, { one: '# event', other: '# events' })}, ${formatExactTime(at)} to ${formatExactTime(until)}`;
        return (
          <button
            key={at.getTime()}
            type="button"
            className={classes.bar}
            disabled={count === 0}
            title={label}
            aria-label={label}
            onClick={() => onRange({ from: String(at.getTime()), until: String(until.getTime()) })}
          >
            <span style={{ height: `${count === 0 ? 0 : Math.max(6, (count / most) * 100)}%` }} />
          </button>
        );
      })}
    </fieldset>
  );
}
