import type { WebhookEndpoint } from '@gatebook/js/admin';
import { useAction, useResource, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { AuditCard } from '../../components/audit/audit-card.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Later } from '../../components/later.tsx';
import { Page } from '../../components/page.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { Writing } from '../../components/writing.tsx';
import { usePolling } from '../../lib/use-polling.ts';
import { useTitle } from '../../lib/use-title.ts';
import { AccessError } from './access-error.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { DetailsCard } from './details-card.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import { ReplayProgress } from './replay-progress.tsx';
import { SecretCard } from './secret-card.tsx';
import { problemOf, statusOf, webhooksHref } from './texts.ts';
import { VerificationCard } from './verification-card.tsx';
import classes from './webhooks.module.css';
import type { WebhooksAccess } from './webhooks-access.ts';

const ReplayDialog = lateDialog(async () => (await import('./replay-dialog.tsx')).ReplayDialog);

const POLL_MS = 10_000;

/** One endpoint: its health, deliveries, secret and settings. */
export function EndpointPage({ endpointId, ...access }: WebhooksAccess & { endpointId: string }) {
  const { webhooks, projectId, projectName } = access;
  const found = useResource(['webhook', projectId, endpointId], () => webhooks.find(endpointId));
  useTitle(found.value?.url ?? t`Webhook endpoint`, projectName);
  const cache = useResourceCache();
  usePolling(found.refresh, POLL_MS, found.value !== undefined);
  /** After a change, which the history has too. */
  const refresh = async (): Promise<void> => {
    await Promise.all([found.refresh(), cache.invalidate(['audit', projectId])]);
  };
  const back = { href: webhooksHref(projectId), label: t`Webhooks` };
  if (!found.value) {
    return (
      <Page title={t`Webhook endpoint`} back={back}>
        {found.error === undefined ? (
          <BlockLoading height={240} label={t`Loading endpoint`} />
        ) : (
          <AccessError {...access} error={found.error} onRetry={found.refresh} />
        )}
      </Page>
    );
  }
  const { tone, text } = statusOf(found.value);
  return (
    <Page
      title={found.value.url}
      lead={
        <>
          <StatusDot tone={tone}>{text}</StatusDot>
          {found.value.description !== '' && ` · ${found.value.description}`}
        </>
      }
      back={back}
      actions={<EndpointActions {...access} endpoint={found.value} refresh={refresh} />}
    >
      <FoundEndpoint {...access} endpoint={found.value} refresh={refresh} />
    </Page>
  );
}

type FoundEndpointProps = WebhooksAccess & { endpoint: WebhookEndpoint; refresh: () => Promise<void> };

function FoundEndpoint({ endpoint, refresh, ...access }: FoundEndpointProps) {
  const { webhooks, events, projectId, audit } = access;
  const [isReplaying, setReplaying] = useState(false);
  const [replayId, setReplayId] = useState<string | null>(null);
  return (
    <>
      <ProblemNote endpoint={endpoint} refresh={refresh} {...access} />
      <EndpointHealth endpoint={endpoint} />
      {replayId !== null && (
        <ReplayProgress webhooks={webhooks} replayId={replayId} onClose={() => setReplayId(null)} />
      )}
      <DeliveriesCard
        webhooks={webhooks}
        projectId={projectId}
        endpointId={endpoint.id}
        actions={
          <Button size="compact-sm" variant="default" onClick={() => setReplaying(true)}>
            <Trans>Replay events</Trans>
          </Button>
        }
      />
      <div className={classes.halves}>
        <DetailsCard endpoint={endpoint} />
        <SecretCard webhooks={webhooks} endpointId={endpoint.id} onChange={refresh} />
      </div>
      <Later height={600}>
        <VerificationCard />
        {audit && (
          <AuditCard audit={audit} projectId={projectId} target={{ type: 'webhook_endpoint', id: endpoint.id }} />
        )}
      </Later>
      <ReplayDialog
        isOpen={isReplaying}
        onClose={() => setReplaying(false)}
        webhooks={webhooks}
        events={events}
        endpoint={endpoint}
        onStart={(replay) => setReplayId(replay.replayId)}
      />
    </>
  );
}

/** What is wrong with the endpoint, and the way back. */
function ProblemNote({ endpoint, refresh, webhooks }: Pick<FoundEndpointProps, 'endpoint' | 'refresh' | 'webhooks'>) {
  const problem = problemOf(endpoint);
  const enable = useAction(async () => {
    await webhooks.update(endpoint.id, { isEnabled: true });
    await refresh();
  });
  if (problem === null) return null;
  return (
    <section aria-label={t`Problem`} className={classes.problem}>
      <p>{problem}</p>
      {enable.error !== undefined && <ErrorNote error={enable.error} />}
      {!endpoint.isEnabled && (
        <Writing>
          <Button size="xs" loading={enable.isRunning} onClick={() => void enable.run()}>
            <Trans>Enable endpoint</Trans>
          </Button>
        </Writing>
      )}
    </section>
  );
}
