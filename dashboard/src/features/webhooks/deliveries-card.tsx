import type { WebhookDelivery, WebhookDeliveryPage, WebhookDeliveryStatus, WebhooksClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, NativeSelect, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { useNow } from '../../lib/use-now.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { attemptsText, deliveryStatuses, isDue, webhooksHref } from './texts.ts';
import classes from './webhooks.module.css';

const POLL_MS = 5_000;
const PAGE_SIZE = 50;

type DeliveriesCardProps = {
  webhooks: WebhooksClient;
  projectId: string;
  endpointId: string;
  actions: ReactNode;
};

/** What was sent, newest first, and what came back. */
export function DeliveriesCard({ webhooks, projectId, endpointId, actions }: DeliveriesCardProps) {
  const [status, setStatus] = useState<WebhookDeliveryStatus | ''>('');
  const { shown, error, refresh, older } = useDeliveries(webhooks, endpointId, status);
  return (
    <Card
      title={t`Deliveries`}
      labelId="deliveries-title"
      flush
      details={
        <NativeSelect
          size="xs"
          aria-label={t`Status`}
          value={status}
          data={[
            { value: '', label: t`All` },
            ...Object.entries(deliveryStatuses).map(([value, { text }]) => ({ value, label: text })),
          ]}
          onChange={(event) => setStatus(event.currentTarget.value as WebhookDeliveryStatus | '')}
        />
      }
      actions={actions}
    >
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} />}
      {shown === undefined && error === undefined && <RowsLoading rows={4} label={t`Loading deliveries`} />}
      {shown?.items.length === 0 && (
        <Text size="sm" c="dimmed" p="lg">
          {status === '' ? t`Nothing was sent yet. Send a test, or wait for the next event.` : t`No such deliveries`}
        </Text>
      )}
      {shown && shown.items.length > 0 && (
        <ul className={classes.list}>
          {shown.items.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              href={webhooksHref(projectId, endpointId, delivery.id)}
            />
          ))}
        </ul>
      )}
      {shown && shown.nextBefore !== null && (
        <div className={classes.foot}>
          {older.error !== undefined && <ErrorNote error={older.error} />}
          <Button variant="default" size="xs" loading={older.isRunning} onClick={() => void older.run()}>
            <Trans>Load older deliveries</Trans>
          </Button>
        </div>
      )}
    </Card>
  );
}

/** The newest page is read again every few seconds, until older ones are loaded. */
function useDeliveries(webhooks: WebhooksClient, endpointId: string, status: WebhookDeliveryStatus | '') {
  const filters = { limit: PAGE_SIZE, ...(status !== '' && { status }) };
  const key = `${endpointId} ${status}`;
  const newest = useResource(['webhook-deliveries', endpointId, status], () =>
    webhooks.listDeliveries(endpointId, filters),
  );
  const [loaded, setLoaded] = useState<{ key: string; page: WebhookDeliveryPage } | null>(null);
  const shown = loaded?.key === key ? loaded.page : newest.value;
  usePolling(newest.refresh, POLL_MS, loaded?.key !== key);
  const older = useAction(async () => {
    if (!shown) return;
    const page = await webhooks.listDeliveries(endpointId, { ...filters, before: shown.nextBefore });
    const known = new Set(shown.items.map(({ id }) => id));
    const items = [...shown.items, ...page.items.filter(({ id }) => !known.has(id))];
    setLoaded({ key, page: { items, nextBefore: page.nextBefore } });
  });
  return { shown, error: newest.error, refresh: newest.refresh, older };
}

function DeliveryRow({ delivery, href }: { delivery: WebhookDelivery; href: string }) {
  const { type, status, nextAttemptAt, createdAt } = delivery;
  const { tone, text } = deliveryStatuses[status];
  const now = useNow();
  return (
    <li className={classes.delivery}>
      <div className={classes.what}>
        <AppLink href={href}>{type}</AppLink>
        <small>
          <RelativeTime at={createdAt} /> · {attemptsText(delivery)}
          {status === 'pending' && nextAttemptAt && (
            <>
              {' '}
              {isDue(nextAttemptAt, now) ? (
                <Trans>· next attempt is due</Trans>
              ) : (
                <Trans>
                  · next attempt <RelativeTime at={nextAttemptAt} />
                </Trans>
              )}
            </>
          )}
        </small>
      </div>
      <StatusDot tone={tone}>{text}</StatusDot>
    </li>
  );
}
