import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { completeErasure } from '@gatebook/commands/user/delete-user';
import type { CodeEvent, CodePurpose } from '@gatebook/domain/code/events';
import type { Recorded } from '@gatebook/domain/event';
import type { ProjectEvent } from '@gatebook/domain/project/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import type { Reactor } from '@gatebook/projections/subscriptions/reactor';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import type { IdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import type { CodeKeys } from '../jobs/expired-code-keys.ts';

type Parts = {
  write: WriteDeps;
  activity: Pick<Activity, 'forgetUser' | 'forgetTeam'>;
  idempotencyRecords: Pick<IdempotencyRecords, 'forget'>;
  codeKeys: Pick<CodeKeys, 'add'>;
};

const pageSize = 5000;

/**
 * Finishes deletions. The command destroys the key immediately; this covers a command that died before that and a
 * session that was used in the meantime. Erasing twice has no further effect. Erases
 * - for a user: idempotency records about the user or the user's addresses, and invitations and emails to these
 *   addresses
 * - for a project: its users, and its emails in the log
 * - for an email that was sent or dropped: the link in it; for a closed mailing: its content
 * - for a code that was used or revoked: the address that it was sent to, if that is not a user's
 * - for an authorization request: the page of the app that it started on and the account at the provider
 */
export function createEraser(parts: Parts): Reactor {
  return {
    name: 'erasures',
    react: async ({ id, type, data, position }: Recorded) => {
      if (type === 'UserDeleted') await finishDeletion(parts, id, data as UserDeleted);
      if (type === 'EmailDropped' || (type === 'EmailSent' && data.emailType !== 'test')) {
        await parts.write.eraseSubject(String(data.emailId));
      }
      if (type === 'MailingClosed') await parts.write.eraseSubject(String(data.mailingId));
      if (type === 'TeamDeleted') await eraseTeam(parts, String(data.teamId));
      if (type === 'CodeIssued') await scheduleKey(parts, data as CodeIssued);
      if (type === 'CodeUsed' || type === 'CodeRevoked') await eraseCode(parts, String(data.codeId));
      if (type === 'ProjectDeleted') await eraseProject(parts, String(data.projectId), position);
    },
  };
}

/** The subjects whose keys encrypt events about emails and codes; often not users. */
const mailSubjects: Readonly<Record<string, 'emailId' | 'mailingId' | 'subjectId'>> = {
  EmailRequested: 'emailId',
  MailingRequested: 'mailingId',
  EmailSent: 'subjectId',
  EmailFailed: 'subjectId',
  CodeIssued: 'subjectId',
};

/** These codes have separate keys; other codes are encrypted with the key of their user. */
const purposesWithKey: readonly CodePurpose[] = [
  'team_invitation',
  'oauth_request',
  'oauth_authorization_request',
  'oauth_code',
  'cross_domain_code',
];

type CodeIssued = Extract<CodeEvent, { type: 'CodeIssued' }>['data'];

/**
 * Unfinished authorization requests have no later event, so their keys are erased by time. Invitations stay readable
 * for their teams.
 */
async function scheduleKey({ codeKeys }: Parts, { purpose, subjectId, expiresAt }: CodeIssued): Promise<void> {
  if (purpose !== 'team_invitation' && purposesWithKey.includes(purpose)) await codeKeys.add({ subjectId, expiresAt });
}

async function eraseCode({ write }: Parts, codeId: string): Promise<void> {
  const { events } = await write.store.readStream<CodeEvent>(`code-${codeId}`);
  for (const { type, data } of events) {
    if (type !== 'CodeIssued') continue;
    if (purposesWithKey.includes(data.purpose) || data.addressRef !== null) await write.eraseSubject(data.subjectId);
  }
}

type UserDeleted = Extract<UserEvent, { type: 'UserDeleted' }>['data'];

async function finishDeletion(parts: Parts, eventId: string, { userId, projectId, addressRefs }: UserDeleted) {
  const { write, activity, idempotencyRecords } = parts;
  await activity.forgetUser(userId);
  for (const concern of [userId, ...addressRefs]) await idempotencyRecords.forget(concern);
  await completeErasure(write, onBehalfOfGatebook(projectId, eventId), { userId, addressRefs });
}

async function eraseTeam({ write, activity, idempotencyRecords }: Parts, teamId: string): Promise<void> {
  await write.eraseSubject(teamId);
  await activity.forgetTeam(teamId);
  await idempotencyRecords.forget(teamId);
}

async function eraseUser({ write, activity, idempotencyRecords }: Parts, userId: string): Promise<void> {
  await write.eraseSubject(userId);
  await activity.forgetUser(userId);
  await idempotencyRecords.forget(userId);
}

const onBehalfOfGatebook = (projectId: string, eventId: string): Context => ({
  projectId,
  actor: { kind: 'system', id: null },
  requestId: `erasure ${eventId}`,
  ip: null,
  userAgent: null,
});

/** Finds the project's users and emails in the log, because the read models no longer have them. */
async function eraseProject(parts: Parts, projectId: string, deletedAt: bigint): Promise<void> {
  const { store, eraseSubject } = parts.write;
  await parts.idempotencyRecords.forget(projectId);
  const { events } = await store.readStream<ProjectEvent>(`project-${projectId}`);
  for (const { type, data } of events) if (type === 'ProjectCreated') await eraseSubject(data.subjectId);
  let position = 0n;
  while (position < deletedAt) {
    const page = await store.readAll(position, pageSize);
    for (const { type, data } of page) {
      if (data.projectId !== projectId) continue;
      if (type === 'UserCreated') await eraseUser(parts, String(data.userId));
      if (type === 'TeamCreated') await eraseTeam(parts, String(data.teamId));
      const subject = mailSubjects[type];
      if (subject) await eraseSubject(String(data[subject]));
    }
    position = page.at(-1)?.position ?? deletedAt;
  }
}
