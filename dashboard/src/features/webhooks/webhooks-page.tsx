import type { WebhookEndpoint } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useState } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, EmptyNote, RowsLoading } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount } from '../../lib/format.ts';
import { useTitle } from '../../lib/use-title.ts';
import { AccessError } from './access-error.tsx';
import { durationText, rateText, statusOf, typesText, webhooksHref } from './texts.ts';
import classes from './webhooks.module.css';
import type { WebhooksAccess } from './webhooks-access.ts';

const EndpointDialog = lateDialog(
  async () => (await import('./endpoint-dialog.tsx')).EndpointDialog,
  ({ edited }) => edited !== null,
);
const SecretDialog = lateDialog(
  async () => (await import('./secret-dialog.tsx')).SecretDialog,
  ({ secret }) => secret !== null,
);

/** The endpoints of a project. */
export function WebhooksPage(access: WebhooksAccess) {
  const { webhooks, events, projectId, projectName } = access;
  useTitle(t`Webhooks`, projectName);
  const list = useResource(['webhooks', projectId], webhooks.list);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      <Trans>Add endpoint</Trans>
    </Button>
  );
  return (
    <Page
      title={t`Webhooks`}
      lead={t`Events are sent to your servers as they happen: signed, in order, and again until they are accepted.`}
      actions={list.value && list.value.length > 0 && addButton}
    >
      {list.error !== undefined && <AccessError {...access} error={list.error} onRetry={list.refresh} />}
      {(list.value || list.error === undefined) && (
        <Card flush>
          {list.value === undefined && <RowsLoading rows={3} label={t`Loading endpoints`} />}
          {list.value?.length === 0 && (
            <EmptyNote icon={<IconWebhook size={22} aria-hidden />} title={t`No endpoints yet`} action={addButton}>
              <Trans>Add the URL of your server, and choose which events it gets.</Trans>
            </EmptyNote>
          )}
          {list.value && list.value.length > 0 && (
            <ul className={classes.list}>
              {list.value.map((endpoint) => (
                <EndpointRow key={endpoint.id} endpoint={endpoint} projectId={projectId} />
              ))}
            </ul>
          )}
        </Card>
      )}
      <EndpointDialog
        edited={isCreating ? 'new' : null}
        events={events}
        onClose={() => setCreating(false)}
        create={async (input) => {
          setCreated(await webhooks.create(input));
          await list.refresh();
        }}
      />
      <SecretDialog
        secret={created?.secret ?? null}
        title={t`Save the signing secret`}
        onClose={() => setCreated(null)}
        href={created ? webhooksHref(projectId, created.id) : undefined}
      />
    </Page>
  );
}

function EndpointRow({ endpoint, projectId }: { endpoint: WebhookEndpoint; projectId: string }) {
  const { id, url, description, types, counts, successRate, p95DurationInMillis, lastFailureAt } = endpoint;
  const { tone, text } = statusOf(endpoint);
  return (
    <li className={classes.endpoint}>
      <div className={classes.what}>
        <AppLink href={webhooksHref(projectId, id)}>{url}</AppLink>
        {description !== '' && <small>{description}</small>}
        <small>{typesText(types)}</small>
        <StatusDot tone={tone}>{text}</StatusDot>
      </div>
      <dl className={classes.numbers}>
        <div>
          <dt>
            <Trans>Success</Trans>
          </dt>
          <dd>{rateText(successRate)}</dd>
        </div>
        <div>
          <dt>p95</dt>
          <dd>{durationText(p95DurationInMillis)}</dd>
        </div>
        <div>
          <dt>
            <Trans>Last failure</Trans>
          </dt>
          <dd>{lastFailureAt ? <RelativeTime at={lastFailureAt} /> : t`none`}</dd>
        </div>
        <div>
          <dt>
            <Trans>Pending</Trans>
          </dt>
          <dd>{formatCount(counts.pending)}</dd>
        </div>
      </dl>
    </li>
  );
}
