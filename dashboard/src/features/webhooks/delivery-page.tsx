import type { WebhookAttempt, WebhookDeliveryDetail } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { curlOf } from '../../components/events/curl.ts';
import { eventsHref } from '../../components/events/event-search.ts';
import { JsonView } from '../../components/events/json-view.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ScrolledText } from '../../components/scrolled-text.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { useNow } from '../../lib/use-now.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { useTitle } from '../../lib/use-title.ts';
import { AccessError } from './access-error.tsx';
import { deliveryStatuses, durationText, isDue, noResponseText, webhooksHref } from './texts.ts';
import classes from './webhooks.module.css';
import type { WebhooksAccess } from './webhooks-access.ts';

const POLL_MS = 3_000;

type DeliveryPageProps = WebhooksAccess & { endpointId: string; deliveryId: string };

/** A delivery with its payload, its attempts and their answers. */
export function DeliveryPage({ endpointId, deliveryId, ...access }: DeliveryPageProps) {
  const { webhooks, projectId, projectName } = access;
  useTitle(t`Delivery`, projectName);
  const found = useResource(['webhook-delivery', projectId, deliveryId], () => webhooks.findDelivery(deliveryId));
  const endpoint = useResource(['webhook', projectId, endpointId], () => webhooks.find(endpointId));
  usePolling(found.refresh, POLL_MS, found.value?.status === 'pending');
  const resend = useAction(async () => {
    await webhooks.resend(deliveryId);
    await found.refresh();
  });
  const delivery = found.value;
  const status = delivery && deliveryStatuses[delivery.status];
  return (
    <Page
      title={delivery?.type ?? t`Delivery`}
      lead={
        status && (
          <>
            <StatusDot tone={status.tone}>{status.text}</StatusDot> · <RelativeTime at={delivery.createdAt} />
          </>
        )
      }
      back={{ href: webhooksHref(projectId, endpointId), label: endpoint.value?.url ?? t`Endpoint` }}
      actions={
        delivery && (
          <Button variant="default" loading={resend.isRunning} onClick={() => void resend.run()}>
            <Trans>Resend</Trans>
          </Button>
        )
      }
    >
      {resend.error !== undefined && <ErrorNote error={resend.error} />}
      {found.error !== undefined && <AccessError {...access} error={found.error} onRetry={found.refresh} />}
      {!delivery && found.error === undefined && <BlockLoading height={240} label={t`Loading delivery`} />}
      {delivery && (
        <>
          <Attempts delivery={delivery} />
          <Request
            delivery={delivery}
            url={endpoint.value?.url}
            projectId={projectId}
            isOwner={access.audit !== null}
          />
        </>
      )}
    </Page>
  );
}

function Attempts({ delivery: { attempts, status, nextAttemptAt } }: { delivery: WebhookDeliveryDetail }) {
  const now = useNow();
  return (
    <Card title={t`Attempts`} labelId="attempts-title" flush>
      {attempts.length === 0 && (
        <Text size="sm" c="dimmed" p="lg">
          <Trans>No attempts</Trans>
        </Text>
      )}
      <ol className={classes.attempts} reversed>
        {status === 'pending' && nextAttemptAt && (
          <li className={classes.attempt}>
            <StatusDot tone="busy">
              {isDue(nextAttemptAt, now) ? (
                <Trans>Next attempt is due</Trans>
              ) : (
                <Trans>
                  Next attempt <RelativeTime at={nextAttemptAt} />
                </Trans>
              )}
            </StatusDot>
          </li>
        )}
        {[...attempts].reverse().map((attempt) => (
          <Attempt key={attempt.at.getTime()} attempt={attempt} />
        ))}
      </ol>
    </Card>
  );
}

const triggers: Readonly<Record<WebhookAttempt['trigger'], string>> = {
  scheduled: t`scheduled`,
  manual: t`resent`,
  replay: t`replay`,
};

function Attempt({ attempt }: { attempt: WebhookAttempt }) {
  const { at, trigger, statusCode, errorCode, durationInMillis, responseBody } = attempt;
  const isAccepted = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const answer = statusCode === null ? noResponseText(errorCode) : `${statusCode}`;
  return (
    <li className={classes.attempt}>
      <div className={classes.attemptHead}>
        <StatusDot tone={isAccepted ? 'good' : 'bad'}>{answer}</StatusDot>
        <span className={classes.note}>
          {triggers[trigger]} · {durationText(durationInMillis)} · <RelativeTime at={at} />
        </span>
      </div>
      {responseBody !== null && responseBody !== '' && (
        <details className={classes.folded} open={!isAccepted}>
          <summary>
            <Trans>Response body</Trans>
          </summary>
          <ScrolledText label={t`Response body`}>{responseBody}</ScrolledText>
        </details>
      )}
    </li>
  );
}

type RequestProps = {
  delivery: WebhookDeliveryDetail;
  url: string | undefined;
  projectId: string;
  /** Owners can follow links to other pages. */
  isOwner: boolean;
};

function Request({ delivery: { request, eventId }, url, projectId, isOwner }: RequestProps) {
  const { headers, body } = request;
  const command = curlOf({ url: url ?? '$URL', method: 'POST', headers, body: body ?? '' });
  return (
    <Card title={t`Request`} labelId="request-title">
      <Facts>
        <Fact name={t`Event`}>
          {isOwner ? (
            <AppLink href={eventsHref(projectId, { event: eventId })}>{eventId}</AppLink>
          ) : (
            <code>{eventId}</code>
          )}
        </Fact>
        {Object.entries(headers).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
      <Text size="sm" fw={600} mt="md" mb={4}>
        <Trans>Body</Trans>
      </Text>
      {body === null ? (
        <Text size="sm" c="dimmed">
          <Trans>The event no longer exists.</Trans>
        </Text>
      ) : (
        <>
          <JsonView label={t`body`} value={parsed(body)} />
          <details className={`${classes.folded} ${classes.apart}`}>
            <summary>
              <Trans>Copy as curl</Trans>
            </summary>
            <CopyField label="curl" value={command} isHeading={false} />
          </details>
        </>
      )}
    </Card>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
