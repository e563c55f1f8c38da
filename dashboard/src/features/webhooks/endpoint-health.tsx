import type { WebhookEndpoint } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { RelativeTime } from '../../components/relative-time.tsx';
import { formatCount } from '../../lib/format.ts';
import { durationText, rateText } from './texts.ts';
import classes from './webhooks.module.css';

/** How well deliveries arrive. */
export function EndpointHealth({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { successRate, p95DurationInMillis, lastSuccessAt, lastFailureAt, counts, lag } = endpoint;
  return (
    <dl className={classes.figures}>
      <Figure label={t`Success rate`} value={rateText(successRate)} note={t`last 24 hours`} />
      <Figure label="p95" value={durationText(p95DurationInMillis)} note={t`response time, last 24 hours`} />
      <Figure label={t`Delivered`} value={formatCount(counts.delivered)} note={noteOf(t`last`, lastSuccessAt)} />
      <Figure
        label={t`Failed`}
        value={formatCount(counts.failed)}
        note={noteOf(t`last failed attempt`, lastFailureAt)}
      />
      <Figure label={t`Pending`} value={formatCount(counts.pending)} note={t`another attempt follows`} />
      <Figure label={t`Not sent yet`} value={formatCount(lag)} note={t`events that wait`} />
    </dl>
  );
}

const noteOf = (text: string, at: Date | null): ReactNode =>
  at ? (
    <>
      {text} <RelativeTime at={at} />
    </>
  ) : (
    t`none in 30 days`
  );

function Figure({ label, value, note }: { label: string; value: string; note: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className={classes.number}>{value}</dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}
