import type { WebhookEndpoint } from '@gatebook/js/admin';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { plural } from '../../lib/format.ts';
import { orderings, typesText } from './texts.ts';
import classes from './webhooks.module.css';

/** What the endpoint gets, and how. */
export function DetailsCard({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { types, ordering, rateLimitPerSecond, headerNames, createdAt, id } = endpoint;
  return (
    <Card title="Settings" labelId="settings-title">
      <dl className={classes.facts}>
        <dt>Events</dt>
        <dd>{typesText(types)}</dd>
        <dt>Order</dt>
        <dd>{orderings.find(({ value }) => value === ordering)?.label}</dd>
        <dt>Rate limit</dt>
        <dd>{rateLimitPerSecond === null ? 'None' : `${plural(rateLimitPerSecond, 'request')} per second`}</dd>
        <dt>Headers</dt>
        <dd>{headerNames.length === 0 ? 'None' : headerNames.join(', ')}</dd>
        <dt>Created</dt>
        <dd>
          <RelativeTime at={createdAt} />
        </dd>
        <dt>ID</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
    </Card>
  );
}
