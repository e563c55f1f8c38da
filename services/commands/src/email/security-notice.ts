import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { EmailType } from '@gatebook/domain/email/events';
import type { Recorded } from '@gatebook/domain/event';
import type { ProjectConfig } from '@gatebook/domain/project/config';
import { isOpenIdProvider } from '@gatebook/domain/project/openid-providers';
import { providerNames } from '@gatebook/domain/project/provider-names';
import type { ActiveProject } from '@gatebook/domain/project/state';
import type { SessionEvent } from '@gatebook/domain/session/events';
import { userDecider } from '@gatebook/domain/user/decide';
import type { UserEvent } from '@gatebook/domain/user/events';
import {
  listRecipients,
  type NoticeRecipient,
  type NoticeState,
  type SecurityChanges,
  searchSecurityNotice,
} from '@gatebook/domain/user/security-notice';
import type { UserState } from '@gatebook/domain/user/state';
import { derivedId } from '@gatebook/runtime/ids';
import { causeOf } from '../cause.ts';
import { addCode, generateCode } from '../code/code.ts';
import { emailedCodeLifeMs, nameVariables } from '../code/code-email.ts';
import type { Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { findActiveProject } from '../project/project.ts';
import { streamOf } from '../streams.ts';
import { readEmail, requestEmail } from './email.ts';

export type NoticeDeps = WriteDeps & {
  /** Base URL of the page that notices link to. */
  publicUrl: string;
};

/** Notices about older events are not sent. */
const maxAgeMs = 24 * 60 * 60_000;

/**
 * Emails a user about a change to their sign-in methods, if `event` is the first relevant one of its append. `upTo`:
 * the user's stream up to the event.
 */
export async function sendSecurityNotice(
  deps: NoticeDeps,
  event: Recorded<UserEvent>,
  upTo: NoticeState,
): Promise<void> {
  const search = searchSecurityNotice(event.id, upTo);
  for await (const rest of deps.store.readStreamPages(event.stream, { large: true }, event.revision)) {
    if (search.see(rest as readonly Recorded<UserEvent>[])) break;
  }
  const notice = search.end();
  if (notice === null) return;
  const { userId } = event.data;
  const { changes, recipients } = notice;
  await requestNotices(deps, event, {
    emailType: 'security_notice',
    userId,
    recipients,
    variables: ({ config }) => buildVariables(changes, config),
  });
}

type SignIn = {
  userId: string;
  /** Revision of the user's stream at the sign-in. The user may have removed addresses since. */
  userRevision: number;
  deviceName: string;
  ipAddress: string | null;
};

/** Emails a user about a session from a device that is new to their account. */
export async function sendNewDeviceNotice(
  deps: NoticeDeps,
  event: Recorded<SessionEvent>,
  { userId, userRevision, deviceName, ipAddress }: SignIn,
): Promise<void> {
  const state = await readUserAt(deps, userId, BigInt(userRevision));
  if (state.status !== 'active') return;
  const variables = { deviceName, ...(ipAddress === null ? {} : { ipAddress }) };
  const recipients = listRecipients(state);
  await requestNotices(deps, event, {
    emailType: 'new_device_sign_in',
    userId,
    recipients,
    variables: () => variables,
  });
}

async function readUserAt({ store }: WriteDeps, userId: string, at: bigint): Promise<UserState> {
  const stream = streamOf.user(userId);
  const { state, revision } = await readState(store, userDecider, stream);
  if (revision <= at) return state;
  return (await store.foldStream(stream, userDecider, { isIgnored: (later) => later > at })).state;
}

export function isNoticeLate({ now }: Pick<WriteDeps, 'now'>, { data }: Recorded<GatebookEvent>): boolean {
  return Date.parse(data.at) + maxAgeMs < Date.parse(now());
}

type Notice = {
  emailType: EmailType;
  userId: string;
  recipients: readonly NoticeRecipient[];
  variables: (project: ActiveProject) => Readonly<Record<string, string>>;
};

/** Email IDs are derived from the event, so processing it again requests no duplicates. */
async function requestNotices(deps: NoticeDeps, event: Recorded<GatebookEvent>, notice: Notice): Promise<void> {
  const { emailType, userId, recipients } = notice;
  if (recipients.length === 0) return;
  const { projectId } = event.metadata;
  const project = await findActiveProject(deps, projectId);
  if (!project?.settings.securityNoticesEnabled) return;
  const { state: user } = await readState(deps.store, userDecider, streamOf.user(userId));
  if (user.status !== 'active') return;
  const ctx: Context = {
    projectId,
    actor: { kind: 'system', id: null },
    requestId: `notice ${event.id}`,
    cause: causeOf(event),
  };
  const at = deps.now();
  const names = { projectDisplayName: project.details.displayName, ...nameVariables(user.displayName) };
  for (const { channelId, address: recipient } of recipients) {
    const emailId = derivedId(event.id, channelId);
    const code = generateCode(
      deps,
      ctx,
      { purpose: 'activity_report', lifeMs: emailedCodeLifeMs, subjectId: userId, recipient, payload: { userId } },
      at,
    );
    const reportLink = `${deps.publicUrl}/handler/report-activity?code=${code.code}`;
    const variables = { ...names, ...notice.variables(project), happenedAt: event.data.at, reportLink };
    const { expiresAt } = code;
    const email = { emailId, emailType, recipient, userId, variables, language: null, expiresAt };
    await transact(deps, ctx, async (work) => {
      if ((await readEmail(deps, emailId)).status !== 'absent') return;
      addCode(work, code);
      requestEmail(work, email, at);
    });
  }
}

function buildVariables(changes: SecurityChanges, { oauthProviders }: ProjectConfig): Record<string, string> {
  const { linkedProvider, addedEmail, removedEmail, newPrimaryEmail } = changes;
  const own = oauthProviders.filter(isOpenIdProvider).find(({ id }) => id === linkedProvider);
  const flag = (isSet: boolean) => (isSet ? 'yes' : null);
  const variables = {
    passwordChanged: flag(changes.isPasswordChanged),
    passwordRemoved: flag(changes.isPasswordRemoved),
    secondFactorOn: flag(changes.isSecondFactorOn),
    secondFactorOff: flag(changes.isSecondFactorOff),
    passkeyAdded: flag(changes.isPasskeyAdded),
    passkeyRemoved: flag(changes.isPasskeyRemoved),
    addedEmail,
    removedEmail,
    newPrimaryEmail,
    linkedProvider: linkedProvider && (own?.displayName ?? providerNames[linkedProvider] ?? linkedProvider),
  };
  return Object.fromEntries(Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== null));
}
