import { useResource } from '@gatebook/react';
import { useMemo } from 'react';
import type { WebhooksAccess } from '../features/webhooks/webhooks-access.ts';
import { useApp } from '../lib/app.ts';
import { useMoment } from '../lib/moment.ts';
import { forgetWebhooksToken, readWebhooksToken } from '../lib/webhooks-token.ts';
import { useParam } from './parameters.ts';

/** The webhooks of the project of the current route, for its owner or for the holder of a token. */
export function useWebhooks(): WebhooksAccess {
  const projectId = useParam('projectId');
  const { client } = useApp();
  const { value: moment } = useMoment();
  const token = readWebhooksToken(projectId);
  const owner = token === null ? client.admin(projectId, moment === null ? undefined : null) : null;
  const guest = useMemo(
    () => (token === null ? null : client.webhooksPage(projectId, token)),
    [client, projectId, token],
  );
  const project = useResource(['project', projectId], async () => (owner ? owner.project.find() : null));
  const access = owner ?? guest;
  if (!access) throw new Error('neither an owner nor a token');
  return {
    webhooks: access.webhooks,
    events: access.events,
    projectId,
    projectName: project.value?.displayName,
    audit: owner?.audit ?? null,
    signIn: guest && (() => openSignedIn(projectId)),
  };
}

function openSignedIn(projectId: string): void {
  forgetWebhooksToken(projectId);
  location.reload();
}
