import type { CodeEvent, CodePurpose } from '@gatebook/domain/code/events';
import type { Recorded } from '@gatebook/domain/event';
import type { ProjectEvent } from '@gatebook/domain/project/events';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import type { Reactor } from '@gatebook/readmodel/followers/reactor';

type Parts = {
  store: EventStore;
  activity: Pick<Activity, 'forgetUser' | 'forgetTeam'>;
  eraseSubject: (subjectId: string) => Promise<void>;
};

const pageSize = 5000;

/**
 * Finishes what deleting began. The command destroys a key at once; if it died before it could, or a session was used in the
 * meantime, this makes it good. With a project its users are erased, and what the log knows of its mails; with a mail that is
 * out, or never will be, the link in it; with an invitation that is over, the address that was invited; with a visit to a sign-in
 * provider, where in the app it began. Erasing twice does
 * nothing.
 */
export function createEraser(parts: Parts): Reactor {
  return {
    name: 'erasures',
    react: async ({ type, data, position }: Recorded) => {
      if (type === 'UserDeleted') await eraseUser(parts, String(data.userId));
      if (type === 'EmailDropped' || (type === 'EmailSent' && data.emailType !== 'test')) {
        await parts.eraseSubject(String(data.emailId));
      }
      if (type === 'TeamDeleted') await eraseTeam(parts, String(data.teamId));
      if (type === 'CodeUsed' || type === 'CodeRevoked') await eraseCode(parts, String(data.codeId));
      if (type === 'ProjectDeleted') await eraseProject(parts, String(data.projectId), position);
    },
  };
}

/** Whose keys seal what events tell of mails and codes: often nobody's who is a user. */
const mailSubjects: Readonly<Record<string, 'emailId' | 'subjectId'>> = {
  EmailRequested: 'emailId',
  EmailSent: 'subjectId',
  EmailFailed: 'subjectId',
  CodeIssued: 'subjectId',
};

/** Codes of users are sealed under their keys, which live on; these have keys of their own. */
const ownKeys: readonly CodePurpose[] = ['team_invitation', 'oauth_flow'];

async function eraseCode({ store, eraseSubject }: Parts, codeId: string): Promise<void> {
  const { events } = await store.readStream<CodeEvent>(`code-${codeId}`);
  for (const { type, data } of events) {
    if (type === 'CodeIssued' && ownKeys.includes(data.purpose)) await eraseSubject(data.subjectId);
  }
}

async function eraseTeam({ activity, eraseSubject }: Parts, teamId: string): Promise<void> {
  await eraseSubject(teamId);
  await activity.forgetTeam(teamId);
}

async function eraseUser({ activity, eraseSubject }: Parts, userId: string): Promise<void> {
  await eraseSubject(userId);
  await activity.forgetUser(userId);
}

/** Who was a user of the project, and who got its mails, stands in the log alone by now. */
async function eraseProject(parts: Parts, projectId: string, deletedAt: bigint): Promise<void> {
  const { events } = await parts.store.readStream<ProjectEvent>(`project-${projectId}`);
  for (const { type, data } of events) if (type === 'ProjectCreated') await parts.eraseSubject(data.subjectId);
  let position = 0n;
  while (position < deletedAt) {
    const page = await parts.store.readAll(position, pageSize);
    for (const { type, data } of page) {
      if (data.projectId !== projectId) continue;
      if (type === 'UserCreated') await eraseUser(parts, String(data.userId));
      if (type === 'TeamCreated') await eraseTeam(parts, String(data.teamId));
      const subject = mailSubjects[type];
      if (subject) await parts.eraseSubject(String(data[subject]));
    }
    position = page.at(-1)?.position ?? deletedAt;
  }
}
