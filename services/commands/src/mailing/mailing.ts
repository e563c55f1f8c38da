import type { NotificationCategory } from '@gatebook/domain/email/categories';
import { emailDecider } from '@gatebook/domain/email/decide';
import type { TemplateType } from '@gatebook/domain/email/events';
import { mailingDecider } from '@gatebook/domain/mailing/decide';
import type { MailingContent } from '@gatebook/domain/mailing/events';
import type { Mailing, MailingState } from '@gatebook/domain/mailing/state';
import { userDecider } from '@gatebook/domain/user/decide';
import { primaryChannel } from '@gatebook/domain/user/state';
import { derivedId } from '@gatebook/runtime/ids';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { execute, readState, transact, type UnitOfWork } from '../execute.ts';
import { addressRefOf } from '../reservation/email.ts';
import { streamOf } from '../streams.ts';

/** Recipients whose emails are requested in one append. */
export const mailingPage = 100;
/** How long an email waits for limits and failures. */
const lifeMs = 30 * 24 * 60 * 60_000;

export type NewMailing = {
  category: NotificationCategory;
  /** null: `content` has HTML. */
  templateType: TemplateType | null;
  content: MailingContent;
  /** null: all users who have an email address. */
  userIds: readonly string[] | null;
  /** ISO time; null: immediately. */
  scheduledAt: string | null;
};

/**
 * Requests an email to users. The emails to the first recipients of a list are requested too; the worker requests the
 * others.
 */
export async function requestMailing(
  deps: WriteDeps,
  ctx: Context,
  { scheduledAt: wantedAt, userIds, ...mailing }: NewMailing,
): Promise<CommandResult<{ mailingId: string }>> {
  const [mailingId, at] = [deps.newId(), deps.now()];
  const { projectId } = ctx;
  const scheduledAt = wantedAt !== null && wantedAt > at ? wantedAt : at;
  const times = { scheduledAt, expiresAt: new Date(Date.parse(scheduledAt) + lifeMs).toISOString(), at };
  const recipients = userIds && [...new Set(userIds)];
  const command = { type: 'RequestMailing', mailingId, projectId, ...mailing, userIds: recipients, ...times } as const;
  const { position } = await execute(deps, ctx, mailingDecider, streamOf.mailing(mailingId), command);
  if (recipients === null) return { mailingId, position };
  const next = recipients.slice(0, mailingPage);
  const isComplete = next.length === recipients.length;
  const page = await requestMailingEmails(deps, ctx, { mailingId, after: null, userIds: next, isComplete });
  return { mailingId, position: page.position ?? position };
}

type Page = {
  mailingId: string;
  /** The last recipient of the page before; null for the first page. */
  after: string | null;
  userIds: readonly string[];
  isComplete: boolean;
};

/**
 * Requests the emails to the next recipients. Does nothing if another process already did. The email streams come
 * first, and their IDs are derived, so a prefix of the append is harmless.
 */
export async function requestMailingEmails(
  deps: WriteDeps,
  ctx: Context,
  { mailingId, after, userIds, isComplete }: Page,
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const { state, decide } = await work.load(mailingDecider, streamOf.mailing(mailingId));
    if (state.status !== 'open' || state.isComplete || state.lastUserId !== after) return;
    for (const userId of userIds) await requestMailingEmail(work, state, userId, at);
    decide({ type: 'RecordEmailsRequested', lastUserId: userIds.at(-1) ?? null, isComplete, at });
  });
  return { position };
}

async function requestMailingEmail(work: UnitOfWork, mailing: Mailing, userId: string, at: string): Promise<void> {
  const { mailingId, projectId, scheduledAt, expiresAt } = mailing;
  const emailId = derivedId(mailingId, userId);
  const email = await work.load(emailDecider, streamOf.email(emailId));
  const { state: user } = await work.load(userDecider, streamOf.user(userId));
  if (email.state.status !== 'absent' || user.status !== 'active' || user.projectId !== projectId) return;
  const recipient = primaryChannel(user)?.value ?? null;
  const addressRef = recipient === null ? null : addressRefOf(work.deps, projectId, recipient);
  const about = { emailId, projectId, emailType: 'mailing', mailingId, userId } as const;
  const facts = { recipient, addressRef, variables: {}, language: null, scheduledAt, expiresAt };
  email.decide({ type: 'RequestEmail', ...about, ...facts, at });
  if (recipient === null) email.decide({ type: 'DropEmail', reason: 'no_email_address', at });
}

export async function readMailing(deps: Pick<WriteDeps, 'store'>, mailingId: string): Promise<MailingState> {
  return (await readState(deps.store, mailingDecider, streamOf.mailing(mailingId))).state;
}

/** Closes a mailing whose emails can't be sent anymore, and erases its content. */
export async function closeMailing(
  deps: WriteDeps,
  ctx: Context,
  { mailingId }: { mailingId: string },
): Promise<CommandResult> {
  const command = { type: 'CloseMailing', at: deps.now() } as const;
  const result = await execute(deps, ctx, mailingDecider, streamOf.mailing(mailingId), command);
  if (result.position !== null) await deps.eraseSubject(mailingId);
  return result;
}
