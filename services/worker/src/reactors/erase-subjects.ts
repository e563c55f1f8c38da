import { causeOf } from '@gatebook/commands/cause';
import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { completeDeletion } from '@gatebook/commands/project/delete-project';
import { completeErasure } from '@gatebook/commands/user/delete-user';
import { type GatebookEvent, typesBesides } from '@gatebook/domain/catalog';
import type { CodeEvent, CodePurpose } from '@gatebook/domain/code/events';
import type { Recorded } from '@gatebook/domain/event';
import type { UserEvent } from '@gatebook/domain/user/events';
import { noEffect, type Reactor } from '@gatebook/projections/subscriptions/reactor-parts';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import type { IdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import { ignoreDeletedProject } from '../in-deleted-project.ts';
import type { CodeKeys } from '../jobs/expired-code-keys.ts';

type Parts = {
  write: WriteDeps;
  activity: Pick<Activity, 'forgetUser' | 'forgetTeam' | 'forgetProject'>;
  idempotencyRecords: Pick<IdempotencyRecords, 'forget'>;
  codeKeys: Pick<CodeKeys, 'add'>;
  forgetWebhooks: (of: { projectId: string; endpointId?: string }, signal?: AbortSignal) => Promise<void>;
};

/**
 * Finishes deletions. The command destroys the key immediately; this covers a command that died before that and a
 * session that was used in the meantime. Erasing twice has no further effect. Erases
 * - for a user: idempotency records about the user or the user's addresses, and invitations and emails to these
 *   addresses
 * - for a user or team whose deletion is scheduled: idempotency records about them
 * - for a project: everything
 * - for an email that was sent or dropped: the link in it; for a closed mailing: its content
 * - for a batch of users that ended: the reason of its restrictions
 * - for a code that was used or revoked: the address that it was sent to, if that is not a user's
 * - for a webhook endpoint: what was and will be sent to it
 * - for an authorization request: the page of the app that it started on and the account at the provider
 */
export function createEraser(parts: Parts): Reactor {
  return {
    name: 'erasures',
    unneeded: { types: typesBesides(erasingTypes) },
    react: (event, signal) => reactTo(parts, event as Recorded<GatebookEvent>, signal),
  };
}

const erasingTypes: readonly GatebookEvent['type'][] = [
  ...(['UserDeletionScheduled', 'UserDeleted', 'TeamDeletionScheduled', 'TeamDeleted', 'ProjectDeleted'] as const),
  ...(['EmailDropped', 'EmailSent', 'MailingClosed', 'UserBatchEnded'] as const),
  ...(['CodeIssued', 'CodeUsed', 'CodeRevoked', 'WebhookEndpointDeleted'] as const),
];

async function reactTo(parts: Parts, event: Recorded<GatebookEvent>, signal?: AbortSignal): Promise<unknown> {
  const { eraseSubject } = parts.write;
  const { type, data } = event;
  switch (type) {
    case 'UserDeletionScheduled':
      // Until the erasure, the user's key decrypts the responses.
      return parts.idempotencyRecords.forget(data.userId);
    case 'UserDeleted':
      return finishDeletion(parts, event, data);
    case 'TeamDeletionScheduled':
      return parts.idempotencyRecords.forget(data.teamId);
    case 'TeamDeleted':
      return eraseTeam(parts, data.teamId);
    case 'ProjectDeleted':
      return finishProject(parts, event, signal);
    case 'EmailDropped':
      return eraseSubject(data.emailId);
    case 'EmailSent':
      return data.emailType === 'test' ? noEffect : eraseSubject(data.emailId);
    case 'MailingClosed':
      return eraseSubject(data.mailingId);
    case 'UserBatchEnded':
      return eraseSubject(data.batchId);
    case 'CodeIssued':
      return scheduleKey(parts, data);
    case 'CodeUsed':
    case 'CodeRevoked':
      return eraseCode(parts, data.codeId);
    case 'WebhookEndpointDeleted':
      return parts.forgetWebhooks({ projectId: data.projectId, endpointId: data.endpointId });
    default:
      return noEffect;
  }
}

/** These codes have separate keys; other codes are encrypted with the key of their user. */
const purposesWithKey: readonly CodePurpose[] = [
  'team_invitation',
  'project_invitation',
  'oauth_request',
  'oauth_authorization_request',
  'oauth_code',
  'cross_domain_code',
];

const invitations: readonly CodePurpose[] = ['team_invitation', 'project_invitation'];

type CodeIssued = Extract<CodeEvent, { type: 'CodeIssued' }>['data'];

/**
 * Unfinished authorization requests have no later event, so their keys are erased by time. Invitations stay readable
 * for their teams and projects.
 */
async function scheduleKey({ codeKeys }: Parts, { purpose, subjectId, expiresAt }: CodeIssued): Promise<unknown> {
  if (invitations.includes(purpose) || !purposesWithKey.includes(purpose)) return noEffect;
  return codeKeys.add({ subjectId, expiresAt });
}

async function eraseCode({ write }: Parts, codeId: string): Promise<void> {
  const { events } = await write.store.readStream<CodeEvent>(`code-${codeId}`);
  for (const { type, data } of events) {
    if (type !== 'CodeIssued') continue;
    if (purposesWithKey.includes(data.purpose) || data.addressRef !== null) await write.eraseSubject(data.subjectId);
  }
}

type UserDeleted = Extract<UserEvent, { type: 'UserDeleted' }>['data'];

async function finishDeletion(parts: Parts, event: Recorded, { userId, projectId, addressRefs }: UserDeleted) {
  const { write, activity, idempotencyRecords } = parts;
  await activity.forgetUser(userId);
  for (const concern of [userId, ...addressRefs]) await idempotencyRecords.forget(concern);
  const ctx = onBehalfOfGatebook(projectId, event);
  await ignoreDeletedProject(completeErasure(write, ctx, { userId, addressRefs }));
}

async function eraseTeam({ write, activity, idempotencyRecords }: Parts, teamId: string): Promise<void> {
  await write.eraseSubject(teamId);
  await activity.forgetTeam(teamId);
  await idempotencyRecords.forget(teamId);
}

const onBehalfOfGatebook = (projectId: string, event: Recorded): Context => ({
  projectId,
  actor: { kind: 'system', id: null },
  requestId: `erasure ${event.id}`,
  cause: causeOf(event),
});

const maxKeysAtOnce = 10_000;

/**
 * Everything that is stored by project is erased by project, a bounded number of rows at a time. After an interruption,
 * the rows that are left are erased.
 */
async function finishProject(
  parts: Parts,
  event: Extract<Recorded<GatebookEvent>, { type: 'ProjectDeleted' }>,
  signal?: AbortSignal,
): Promise<void> {
  const { projectId } = event.data;
  const { write, activity, idempotencyRecords, forgetWebhooks } = parts;
  await ignoreDeletedProject(completeDeletion(write, onBehalfOfGatebook(projectId, event)));
  await destroyKeys(write, projectId, signal);
  await activity.forgetProject(projectId, signal);
  await idempotencyRecords.forget(projectId);
  await forgetWebhooks({ projectId }, signal);
}

/** Destroys all keys of a project, which makes all of them unreadable first. Throws once `signal` aborts. */
export async function destroyKeys(
  { eraseProject }: Pick<WriteDeps, 'eraseProject'>,
  projectId: string,
  signal?: AbortSignal,
): Promise<void> {
  while ((await eraseProject(projectId, maxKeysAtOnce)) === maxKeysAtOnce) signal?.throwIfAborted();
}
