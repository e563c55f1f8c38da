import { emailDecider } from '@gatebook/domain/email/decide';
import type { AnyEmailType, EmailDropReason, EmailError, Sender } from '@gatebook/domain/email/events';
import type { Language } from '@gatebook/domain/email/languages';
import type { EmailState } from '@gatebook/domain/email/state';
import { reject } from '@gatebook/domain/errors';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { execute, readState, transact, type UnitOfWork } from '../execute.ts';
import { addressRefOf } from '../reservation/email.ts';
import { streamOf } from '../streams.ts';

export type NewEmail = {
  emailId: string;
  emailType: AnyEmailType;
  recipient: string;
  /** The user who receives it, if known. What is shown of the email is erased with that user. */
  userId: string | null;
  variables: Readonly<Record<string, string>>;
  /** The language of the request, if the recipient sent it; null: the one that the recipient used last. */
  language: Language | null;
  /** Expiry of the code in it. */
  expiresAt: string;
};

/** Requests an email, in the append of what it is about. Generate `emailId` outside the unit of work. */
export function requestEmail(work: UnitOfWork, email: NewEmail, at: string): void {
  const {
    deps,
    ctx: { projectId },
  } = work;
  const addressRef = addressRefOf(deps, projectId, email.recipient);
  const about = { projectId, mailingId: null, scheduledAt: null, addressRef };
  const command = { type: 'RequestEmail', ...about, ...email, at } as const;
  work.create(emailDecider, streamOf.email(email.emailId)).decide(command);
}

export async function readEmail(deps: Pick<WriteDeps, 'store'>, emailId: string): Promise<EmailState> {
  return (await readState(deps.store, emailDecider, streamOf.email(emailId))).state;
}

/** What is shown of an attempt to send. */
type Attempt = { emailId: string; subject: string; sender: Sender };

/**
 * Records that the server accepted the email, then destroys the key of its link. `ctx.projectId` is the project of the
 * email.
 */
export async function recordEmailSent(
  deps: WriteDeps,
  ctx: Context,
  { emailId, response, ...attempt }: Attempt & { response: string },
): Promise<CommandResult> {
  const at = deps.now();
  const command = {
    type: 'RecordSent',
    ...attempt,
    response: toStorable(response),
    subjectId: await findSubject(deps, emailId),
    at,
  } as const;
  const result = await execute(deps, ctx, emailDecider, streamOf.email(emailId), command);
  await deps.eraseSubject(emailId);
  return result;
}

/**
 * Records a failed attempt. The email is given up after a permanent error or the third attempt; an owner may then retry
 * it.
 */
export async function recordEmailFailed(
  deps: WriteDeps,
  ctx: Context,
  { emailId, error, ...attempt }: Attempt & { error: EmailError },
): Promise<CommandResult> {
  const at = deps.now();
  const command = {
    type: 'RecordFailed',
    ...attempt,
    error: toStorableError(error),
    subjectId: await findSubject(deps, emailId),
    at,
  } as const;
  return execute(deps, ctx, emailDecider, streamOf.email(emailId), command);
}

/** Drops an email that must no longer be sent. */
export async function dropEmail(
  deps: WriteDeps,
  ctx: Context,
  { emailId, reason }: { emailId: string; reason: EmailDropReason },
): Promise<CommandResult> {
  const at = deps.now();
  const command = { type: 'DropEmail', reason, at } as const;
  const result = await execute(deps, ctx, emailDecider, streamOf.email(emailId), command);
  await deps.eraseSubject(emailId);
  return result;
}

/** Retries an email that was given up. @throws DomainError EMAIL_NOT_FOUND, EMAIL_NOT_RETRYABLE */
export async function retryEmail(
  deps: WriteDeps,
  ctx: Context,
  { emailId }: { emailId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const email = await work.load(emailDecider, streamOf.email(emailId));
    if (!('projectId' in email.state) || email.state.projectId !== ctx.projectId) return reject('EMAIL_NOT_FOUND');
    if (Date.parse(email.state.expiresAt) <= Date.parse(at)) return reject('EMAIL_NOT_RETRYABLE');
    email.decide({ type: 'RetryEmail', at });
  });
  return { position };
}

export type EmailEdit = { isPaused?: boolean | undefined; scheduledAt?: string | undefined; isCanceled?: boolean };

/**
 * Pauses, resumes, reschedules or cancels an email that has not been sent.
 * @throws DomainError EMAIL_NOT_FOUND, EMAIL_NOT_EDITABLE
 */
export async function editEmail(
  deps: WriteDeps,
  ctx: Context,
  { emailId, isPaused, scheduledAt, isCanceled = false }: EmailEdit & { emailId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const email = await work.load(emailDecider, streamOf.email(emailId));
    if (!('projectId' in email.state) || email.state.projectId !== ctx.projectId) return reject('EMAIL_NOT_FOUND');
    if (scheduledAt !== undefined) email.decide({ type: 'RescheduleEmail', scheduledAt, at });
    if (isPaused !== undefined) email.decide({ type: isPaused ? 'PauseEmail' : 'ResumeEmail', at });
    if (isCanceled) email.decide({ type: 'CancelEmail', at });
  });
  if (isCanceled) await deps.eraseSubject(emailId);
  return { position };
}

/** Records a test email. `error`: why it was not sent. */
export async function recordTestEmail(
  deps: WriteDeps,
  ctx: Context,
  {
    response,
    error,
    ...test
  }: { to: string; subject: string; sender: Sender; response: string; error: EmailError | null },
): Promise<CommandResult> {
  const [emailId, subjectId, at] = [deps.newId(), deps.newId(), deps.now()];
  const { projectId } = ctx;
  const outcome = { response: toStorable(response), error: error && toStorableError(error) };
  const addressRef = addressRefOf(deps, projectId, test.to);
  const command = { type: 'RecordTest', emailId, subjectId, projectId, ...test, addressRef, ...outcome, at } as const;
  return execute(deps, ctx, emailDecider, streamOf.email(emailId), command);
}

const maxReplyLength = 2_000;

/** Makes the reply of a mail server storable: removes NUL characters and unpaired surrogates and limits its length. */
const toStorable = (reply: string) => reply.replaceAll('\0', '').toWellFormed().slice(0, maxReplyLength).toWellFormed();

const toStorableError = ({ message, rawError, ...rest }: EmailError): EmailError => ({
  ...rest,
  message: toStorable(message),
  rawError: toStorable(rawError),
});

/** Subject whose key encrypts what is shown of the email. */
async function findSubject(deps: WriteDeps, emailId: string): Promise<string> {
  const state = await readEmail(deps, emailId);
  return ('userId' in state ? state.userId : null) ?? deps.newId();
}
