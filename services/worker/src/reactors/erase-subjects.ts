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
 * Finishes what deleting began. The command destroys a key at once; if it died before it could, or a session was used in the
 * meantime, this makes it good. With users go the answers that speak of them; with an address the invitations and mails to it. With a
 * project its users are erased, and what the log knows of its mails; with a mail that is out, or never will be, the link in it; with a
 * code that is over and went to nobody known, the address it went to; with a visit to a sign-in provider, where in the app it began and
 * the account there. Erasing twice does nothing.
 */
export function createEraser(parts: Parts): Reactor {
  return {
    name: 'erasures',
    react: async ({ id, type, data, position }: Recorded) => {
      if (type === 'UserDeleted') await finishDeletion(parts, id, data as UserDeleted);
      if (type === 'EmailDropped' || (type === 'EmailSent' && data.emailType !== 'test')) {
        await parts.write.eraseSubject(String(data.emailId));
      }
      if (type === 'TeamDeleted') await eraseTeam(parts, String(data.teamId));
      if (type === 'CodeIssued') await rememberKey(parts, data as CodeIssued);
      if (type === 'CodeUsed' || type === 'CodeRevoked') await eraseCode(parts, String(data.codeId));
      if (type === 'ProjectDeleted') await eraseProject(parts, String(data.projectId), position);
    },
  };
}

/** Whose keys encrypt what events tell of mails and codes: often nobody's who is a user. */
const mailSubjects: Readonly<Record<string, 'emailId' | 'subjectId'>> = {
  EmailRequested: 'emailId',
  EmailSent: 'subjectId',
  EmailFailed: 'subjectId',
  CodeIssued: 'subjectId',
};

/** Codes of users are encrypted under their keys, which live on; these have keys of their own. */
const ownKeys: readonly CodePurpose[] = [
  'team_invitation',
  'oauth_request',
  'oauth_authorization_request',
  'oauth_code',
];

type CodeIssued = Extract<CodeEvent, { type: 'CodeIssued' }>['data'];

/** Most visits that are not finished are never heard of again. Open invitations stay readable for their teams. */
async function rememberKey({ codeKeys }: Parts, { purpose, subjectId, expiresAt }: CodeIssued): Promise<void> {
  if (purpose !== 'team_invitation' && ownKeys.includes(purpose)) await codeKeys.add({ subjectId, expiresAt });
}

async function eraseCode({ write }: Parts, codeId: string): Promise<void> {
  const { events } = await write.store.readStream<CodeEvent>(`code-${codeId}`);
  for (const { type, data } of events) {
    if (type !== 'CodeIssued') continue;
    if (ownKeys.includes(data.purpose) || data.addressRef !== null) await write.eraseSubject(data.subjectId);
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
  ...{ projectId, actor: { kind: 'system', id: null }, requestId: `erasure ${eventId}`, ip: null, userAgent: null },
});

/** Who was a user of the project, and who got its mails, stands in the log alone by now. */
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
