import type { AuditClient, AuditFilters } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import classes from '../../components/audit/audit.module.css';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { formatDay, formatExactTime } from '../../lib/format.ts';
import { useIsUtc } from '../../lib/zone.ts';

const BUCKETS = 60;
/** Days alone do not tell the ends of a shorter range apart. */
const SHORT_MS = 2 * 86_400_000;

type TimelineProps = {
  audit: AuditClient;
  projectId: string;
  filters: AuditFilters;
  range: { fromMillis: number; untilMillis: number };
  onRange: (range: { from: string; until: string }) => void;
};

/** How many events match over time. A click on a bar shows only its events. */
export function AuditTimeline({ audit, projectId, filters, range, onRange }: TimelineProps) {
  const isUtc = useIsUtc();
  const query = { ...filters, ...range, buckets: BUCKETS };
  const timeline = useResource(['audit-timeline', projectId, JSON.stringify(query)], () => audit.timeline(query));
  if (timeline.error !== undefined && !timeline.value) {
    return <ErrorNote error={timeline.error} onRetry={timeline.refresh} isRetrying={timeline.isFetching} />;
  }
  if (!timeline.value) return <BlockLoading height={72} label={t`Loading timeline`} />;
  const highest = Math.max(0, ...timeline.value.map(({ count }) => count));
  const most = Math.max(1, highest);
  const stepMs = (range.untilMillis - range.fromMillis) / timeline.value.length;
  const isShort = range.untilMillis - range.fromMillis < SHORT_MS;
  const endText = (millis: number) => (isShort ? formatExactTime : formatDay)(new Date(millis), isUtc);
  return (
    <>
      <fieldset className={classes.timeline} aria-label={t`Events over time`}>
        {timeline.value.map(({ at, count }) => {
          const until = new Date(Math.ceil(at.getTime() + stepMs));
          const label = t`${plural(count, { one: '# event', other: '# events' })}, ${formatExactTime(at, isUtc)} to ${formatExactTime(until, isUtc)}`;
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
      <div className={classes.axis} aria-hidden="true">
        <span>{endText(range.fromMillis)}</span>
        <span>
          <Trans>Highest bar: {plural(highest, { one: '# event', other: '# events' })}</Trans>
        </span>
        <span>{endText(range.untilMillis)}</span>
      </div>
      {timeline.value.some(({ isComplete }) => !isComplete) && (
        <p className={classes.dim}>
          <Trans>There are too many events to count them all. Choose a shorter time.</Trans>
        </p>
      )}
    </>
  );
}
