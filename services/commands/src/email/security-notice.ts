import type { GatebookEvent } from '@gatebook/domain/catalogue';
import type { EmailType } from '@gatebook/domain/email/events';
import type { Recorded } from '@gatebook/domain/event';
import { providerNames } from '@gatebook/domain/project/provider-names';
import type { SessionEvent } from '@gatebook/domain/session/events';
import { userDecider } from '@gatebook/domain/user/decide';
import type { UserEvent } from '@gatebook/domain/user/events';
import {
  type NoticeRecipient,
  recipientsOf,
  type SecurityChanges,
  securityNoticeOf,
} from '@gatebook/domain/user/security-notice';
import { derivedId } from '@gatebook/runtime/ids';
import { addCode, newCode } from '../code/code.ts';
import { mailedCodeLifeMs, named } from '../code/code-email.ts';
import type { Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { findActiveProject } from '../project/project.ts';
import { streamOf } from '../streams.ts';
import { readEmail, requestEmail } from './email.ts';

export type NoticeDeps = WriteDeps & {
  /** Where the page is that the link of a notice leads to. */
  publicUrl: string;
};

/** A notice that is later than this helps nobody. */
const latestMs = 24 * 60 * 60_000;

/** Tells a user of a change to how they sign in, if `event` is the first of its append that calls for it. */
export async function sendSecurityNotice(deps: NoticeDeps, event: Recorded<UserEvent>): Promise<void> {
  const { events: history } = await deps.store.readStream<UserEvent>(event.stream);
  const notice = securityNoticeOf(history, event.id);
  if (notice === null) return;
  const { userId } = event.data;
  const { changes, recipients } = notice;
  await requestNotices(deps, event, {
    emailType: 'security_notice',
    userId,
    recipients,
    variables: variablesOf(changes),
  });
}

type SignIn = {
  userId: string;
  /** Of the user's stream as the sign-in saw it: who signed in may have removed addresses since. */
  userRevision: number;
  deviceName: string;
  ipAddress: string | null;
};

/** Tells a user of a session from a device that they have not signed in from before. */
export async function sendNewDeviceNotice(
  deps: NoticeDeps,
  event: Recorded<SessionEvent>,
  { userId, userRevision, deviceName, ipAddress }: SignIn,
): Promise<void> {
  const { events } = await deps.store.readStream<UserEvent>(streamOf.user(userId));
  const seen = events.filter(({ revision }) => revision <= BigInt(userRevision));
  const state = seen.reduce(userDecider.evolve, userDecider.initialState);
  if (state.status !== 'active') return;
  const variables = { deviceName, ...(ipAddress === null ? {} : { ipAddress }) };
  const recipients = recipientsOf(state);
  await requestNotices(deps, event, { emailType: 'new_device_sign_in', userId, recipients, variables });
}

export function isNoticeLate({ now }: Pick<WriteDeps, 'now'>, { data }: Recorded<GatebookEvent>): boolean {
  return Date.parse(data.at) + latestMs < Date.parse(now());
}

type Notice = {
  emailType: EmailType;
  userId: string;
  recipients: readonly NoticeRecipient[];
  variables: Readonly<Record<string, string>>;
};

/** The ids of the emails follow from the event, so that acting on it again requests none twice. */
async function requestNotices(deps: NoticeDeps, event: Recorded<GatebookEvent>, notice: Notice): Promise<void> {
  const { emailType, userId, recipients } = notice;
  if (recipients.length === 0) return;
  const { projectId, correlationId } = event.metadata;
  const project = await findActiveProject(deps, projectId);
  if (!project?.settings.securityNoticesEnabled) return;
  const { state: user } = await readState(deps.store, userDecider, streamOf.user(userId));
  if (user.status !== 'active') return;
  const ctx: Context = {
    projectId,
    actor: { kind: 'system', id: null },
    requestId: `notice ${event.id}`,
    ip: null,
    userAgent: null,
    cause: { eventId: event.id, correlationId },
  };
  const at = deps.now();
  const names = { projectDisplayName: project.details.displayName, ...named(user.displayName) };
  for (const { channelId, address: recipient } of recipients) {
    const emailId = derivedId(event.id, channelId);
    const code = newCode(
      deps,
      ctx,
      { purpose: 'activity_report', lifeMs: mailedCodeLifeMs, subjectId: userId, recipient, payload: { userId } },
      at,
    );
    const reportLink = `${deps.publicUrl}/handler/report-activity?code=${code.code}`;
    const variables = { ...names, ...notice.variables, happenedAt: formatTime(event.data.at), reportLink };
    const { expiresAt } = code;
    const email = { emailId, emailType, recipient, userId, variables, expiresAt };
    await transact(deps, ctx, async (work) => {
      if ((await readEmail(deps, emailId)).status !== 'absent') return;
      addCode(work, code);
      requestEmail(work, email, at);
    });
  }
}

function variablesOf(changes: SecurityChanges): Record<string, string> {
  const { linkedProvider, addedEmail, removedEmail, newPrimaryEmail } = changes;
  const flag = (isThere: boolean) => (isThere ? 'yes' : null);
  const variables = {
    passwordChanged: flag(changes.isPasswordChanged),
    passwordRemoved: flag(changes.isPasswordRemoved),
    secondFactorOn: flag(changes.isSecondFactorOn),
    secondFactorOff: flag(changes.isSecondFactorOff),
    passkeyAdded: flag(changes.isPasskeyAdded),
    passkeyRemoved: flag(changes.isPasskeyRemoved),
    ...{ addedEmail, removedEmail, newPrimaryEmail },
    linkedProvider: linkedProvider && (providerNames[linkedProvider] ?? linkedProvider),
  };
  return Object.fromEntries(Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== null));
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

function formatTime(at: string): string {
  return `${format.format(new Date(at))} UTC`;
}
