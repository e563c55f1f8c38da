import { internalProjectId } from '@gatebook/domain/project/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import { listRecipients } from '@gatebook/domain/user/security-notice';
import { derivedId } from '@gatebook/runtime/ids';
import { nameVariables } from '../code/code-email.ts';
import type { Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { findActiveProject } from '../project/project.ts';
import { streamOf } from '../streams.ts';
import { readEmail, requestEmail } from './email.ts';

export type WebhookNotice = {
  projectId: string;
  endpointId: string;
  url: string;
  kind: 'warning' | 'failing' | 'gone';
  /** Users of `internal`. */
  ownerIds: readonly string[];
};

const emailLifeMs = 7 * 24 * 60 * 60_000;

/**
 * Emails owners that a webhook endpoint fails or was disabled: in project `internal`, where they have their addresses.
 * `publicUrl`: of the dashboard. `occasion`: the same one is told once.
 */
export async function sendWebhookNotice(
  deps: WriteDeps & { publicUrl: string },
  { projectId, endpointId, url, kind, ownerIds }: WebhookNotice,
  occasion: string,
): Promise<void> {
  const project = await findActiveProject(deps, projectId);
  if (!project) return;
  const actor = { kind: 'system', id: null } as const;
  const ctx: Context = { projectId: internalProjectId, actor, requestId: `webhook ${endpointId}` };
  const at = deps.now();
  for (const userId of ownerIds) {
    const { state: owner } = await readState(deps.store, userDecider, streamOf.user(userId));
    const [to] = owner.status === 'active' ? listRecipients(owner) : [];
    if (owner.status !== 'active' || !to) continue;
    const emailId = derivedId(endpointId, `${kind} ${occasion} ${userId}`);
    const variables = {
      ...{ projectDisplayName: project.details.displayName, ...nameVariables(owner.displayName) },
      webhookHost: new URL(url).host,
      webhookLink: `${deps.publicUrl}/projects/${projectId}/webhooks/${endpointId}`,
      ...(kind === 'failing' && { disabledAsFailing: 'yes' }),
      ...(kind === 'gone' && { disabledAsGone: 'yes' }),
    };
    const expiresAt = new Date(Date.parse(at) + emailLifeMs).toISOString();
    const email = {
      emailId,
      emailType: 'webhook_failing' as const,
      recipient: to.address,
      userId,
      variables,
      language: null,
      expiresAt,
    };
    await transact(deps, ctx, async (work) => {
      if ((await readEmail(deps, emailId)).status === 'absent') requestEmail(work, email, at);
    });
  }
}
