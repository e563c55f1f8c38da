import type { WebhookEndpoint } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { orderings, typesText } from './texts.ts';
import classes from './webhooks.module.css';

/** What the endpoint gets, and how. */
export function DetailsCard({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { types, ordering, rateLimitPerSecond, headerNames, createdAt, id } = endpoint;
  return (
    <Card title={t`Settings`} labelId="settings-title">
      <dl className={classes.facts}>
        <dt>
          <Trans>Events</Trans>
        </dt>
        <dd>{typesText(types)}</dd>
        <dt>
          <Trans>Order</Trans>
        </dt>
        <dd>{orderings.find(({ value }) => value === ordering)?.label}</dd>
        <dt>
          <Trans>Rate limit</Trans>
        </dt>
        <dd>
          {rateLimitPerSecond === null
            ? t`No limit`
            : t`${plural(rateLimitPerSecond, { one: '# request', other: '# requests' })} per second`}
        </dd>
        <dt>
          <Trans>Headers</Trans>
        </dt>
        <dd>{headerNames.length === 0 ? t`None` : headerNames.join(', ')}</dd>
        <dt>
          <Trans>Created</Trans>
        </dt>
        <dd>
          <RelativeTime at={createdAt} />
        </dd>
        <dt>
          <Trans>ID</Trans>
        </dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
    </Card>
  );
}
