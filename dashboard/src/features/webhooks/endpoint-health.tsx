import type { WebhookEndpoint } from '@gatebook/js/admin';
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
      <Figure label="Success rate" value={rateText(successRate)} note="last 24 hours" />
      <Figure label="p95" value={durationText(p95DurationInMillis)} note="response time, last 24 hours" />
      <Figure label="Delivered" value={formatCount(counts.delivered)} note={noteOf('last', lastSuccessAt)} />
      <Figure label="Failed" value={formatCount(counts.failed)} note={noteOf('last failure', lastFailureAt)} />
      <Figure label="Pending" value={formatCount(counts.pending)} note="another attempt follows" />
      <Figure label="Not sent yet" value={formatCount(lag)} note="events after the cursor" />
    </dl>
  );
}

const noteOf = (text: string, at: Date | null): ReactNode =>
  at ? (
    <>
      {text} <RelativeTime at={at} />
    </>
  ) : (
    'none in 30 days'
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
