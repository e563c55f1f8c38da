import type { WriteDeps } from '@gatebook/commands/deps';
import { dropEmail, readEmail, recordEmailFailed, recordEmailSent } from '@gatebook/commands/email/email';
import { findActiveProject } from '@gatebook/commands/project/project';
import type { AnyEmailType, EmailError, Sender } from '@gatebook/domain/email/events';
import { reject } from '@gatebook/domain/errors';
import { internalProjectId } from '@gatebook/domain/project/decide';
import type { ActiveProject } from '@gatebook/domain/project/state';
import { canonicalEmail } from '@gatebook/domain/user/email';
import type { RenderedEmail } from '@gatebook/mail/render';
import { noServerMessage, resolveSender, type SharedMail } from '@gatebook/mail/sender';
import { MailError, type Mailer } from '@gatebook/mail/smtp';
import { noTracers } from '@gatebook/runtime/instruments';
import { emailContext } from '../on-behalf-of-gatebook.ts';
import type { Outcome } from '../queue/job-queue.ts';
import { type MailingDraft, prepareDraft, renderDraft } from './email-draft.ts';
import type { EmailLimits } from './email-limits.ts';

export type DeliveryDeps = {
  write: WriteDeps;
  mailer: Mailer;
  limits: EmailLimits;
  /** The mail server of the installation; null without one. */
  shared: SharedMail | null;
  /** URL of Gatebook, for unsubscribe links. */
  publicUrl: string;
  /** The language that a user used last; null if unknown. */
  findLanguage: (projectId: string, userId: string) => Promise<string | null>;
};

/** Limits of a recipient count the emails of all projects. */
const everyProject = '*';

/**
 * Makes the queue retry; the attempt is recorded. Has no cause, because responses of mail servers contain the
 * recipient, and the queue and its log would store it.
 */
class EmailNotSentError extends Error {
  constructor({ type }: MailError) {
    super(`the email was not sent: ${type}`);
    this.name = 'EmailNotSentError';
  }
}

/** Emails whose link makes its bearer an owner. Developers set the project’s mail server, and could read them there. */
const ownersEmails: readonly AnyEmailType[] = ['project_invitation'];

/** A longer wait is split, because the email can be rescheduled. */
const longestWaitMs = 24 * 60 * 60_000;

/**
 * Sends an email if it is still pending and due, and records the result. If the process dies after the mail server has
 * accepted the email and before that is recorded, the email is sent again with the same Message-ID.
 * @throws EmailNotSentError when it should be retried
 */
export async function deliverEmail(deps: DeliveryDeps, { emailId }: { emailId: string }): Promise<Outcome> {
  const email = await readEmail(deps.write, emailId);
  if (email.status !== 'pending') return 'done';
  const waitMs = Date.parse(email.scheduledAt ?? '') - Date.parse(deps.write.now());
  if (waitMs > 0) return { laterMs: Math.min(waitMs, longestWaitMs) };
  const ctx = await emailContext(deps.write, email);
  const project = await findActiveProject(deps.write, email.projectId);
  // Nothing can be recorded in a deleted project, and its emails are erased with it.
  if (!project) return 'done';
  const draft = await prepareDraft(deps, email);
  if (typeof draft === 'string' || email.recipient === null) {
    await dropEmail(deps.write, ctx, { emailId, reason: typeof draft === 'string' ? draft : 'user_gone' });
    return 'done';
  }
  const { recipient, projectId, mailingId } = email;
  if (email.attempts === 0) {
    const recipientHash = deps.write.lookupHash('recipient', everyProject, canonicalEmail(recipient));
    const counted = { projectId, recipientHash, at: deps.write.now(), isMailing: mailingId !== null };
    const allowed = await deps.limits.take(counted);
    if (allowed === 'recipient') {
      await dropEmail(deps.write, ctx, { emailId, reason: 'recipient_limit' });
      return 'done';
    }
    if (allowed !== 'yes') return allowed;
  }
  const { rendered, subject } = await renderDraft(project, draft);
  const isOfOwners = ownersEmails.includes(draft.emailType) && projectId !== internalProjectId;
  const mailProject = isOfOwners ? await findInternal(deps) : project;
  const outcome = await send(deps, mailProject, { emailId, recipient, rendered, mailing: draft.mailing });
  // To the project, the mail server of `internal` is that of the installation.
  const sender: Sender = isOfOwners ? { ...outcome.sender, type: 'shared' } : outcome.sender;
  const shown = { emailId, subject, sender };
  if (outcome.error === null) {
    await recordEmailSent(deps.write, ctx, { ...shown, response: outcome.response });
    return 'done';
  }
  await recordEmailFailed(deps.write, ctx, { ...shown, error: errorOf(outcome.error) });
  const after = await readEmail(deps.write, emailId);
  if (after.status === 'pending') throw new EmailNotSentError(outcome.error);
  return 'done';
}

const findInternal = async ({ write }: DeliveryDeps): Promise<ActiveProject> =>
  (await findActiveProject(write, internalProjectId)) ?? reject('PROJECT_NOT_FOUND', { project_id: internalProjectId });

type Sending = { emailId: string; recipient: string; rendered: RenderedEmail; mailing: MailingDraft | null };
type Sent = { sender: Sender; error: null; response: string } | { sender: Sender; error: MailError };

async function send(
  deps: DeliveryDeps,
  project: ActiveProject,
  { emailId, recipient, rendered, mailing }: Sending,
): Promise<Sent> {
  const { config, secrets, details } = project;
  const { server, sender } = resolveSender({ displayName: details.displayName, config, secrets }, deps.shared);
  const { trace = noTracers.trace } = deps.write;
  if (mailing !== null && sender.type === 'shared') {
    const message = 'Emails of servers are only sent through the project’s own mail server.';
    return { sender, error: new MailError('UNKNOWN', false, message, message) };
  }
  if (server === null) {
    const message = noServerMessage(details.displayName);
    return { sender, error: new MailError('UNKNOWN', false, message, message) };
  }
  const from = { name: sender.senderName, address: sender.senderEmail };
  const messageId = `<${emailId}@${sender.senderEmail.split('@').at(-1) ?? 'gatebook'}>`;
  try {
    const mail = { messageId, from, to: recipient, ...rendered, unsubscribeUrl: mailing?.unsubscribeUrl ?? null };
    const { response } = await trace({ name: 'send email' }, () => deps.mailer.send(server, mail));
    return { sender, error: null, response };
  } catch (error) {
    if (error instanceof MailError) return { sender, error };
    throw error;
  }
}

const errorOf = ({ type, message, canRetry, rawError }: MailError): EmailError => ({
  type,
  message,
  canRetry,
  rawError,
});
