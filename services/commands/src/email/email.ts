import { emailDecider } from '@gatebook/domain/email/decide';
import type { EmailError, EmailType, Sender } from '@gatebook/domain/email/events';
import type { EmailState } from '@gatebook/domain/email/state';
import { reject } from '@gatebook/domain/errors';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { execute, readState, transact, type UnitOfWork } from '../execute.ts';
import { addressRefOf } from '../reservation/reservation.ts';
import { streamOf } from '../streams.ts';

export type NewEmail = {
  emailId: string;
  emailType: EmailType;
  recipient: string;
  /** The user it goes to, when known: with them goes what is shown of it. */
  userId: string | null;
  variables: Readonly<Record<string, string>>;
  /** Of the code in it. */
  expiresAt: string;
};

/** Puts a mail on its way, in the append of what it is about. `emailId` is made before the plan. */
export function requestEmail(work: UnitOfWork, email: NewEmail, at: string): void {
  const {
    deps,
    ctx: { projectId },
  } = work;
  const addressRef = addressRefOf(deps, projectId, email.recipient);
  const command = { type: 'RequestEmail', projectId, ...email, addressRef, at } as const;
  work.create(emailDecider, streamOf.email(email.emailId)).decide(command);
}

export async function readEmail(deps: Pick<WriteDeps, 'store'>, emailId: string): Promise<EmailState> {
  return (await readState(deps.store, emailDecider, streamOf.email(emailId))).state;
}

/** What a try to send showed. */
type Shown = { emailId: string; subject: string; sender: Sender };

/** The server took the mail: recorded, then the key of its link is destroyed. `ctx.projectId` is the mail's project. */
export async function recordEmailSent(
  deps: WriteDeps,
  ctx: Context,
  { emailId, response, ...shown }: Shown & { response: string },
): Promise<CommandResult> {
  const at = deps.now();
  const command = {
    type: 'RecordSent',
    ...shown,
    response: storable(response),
    subjectId: await subjectOf(deps, emailId),
    at,
  } as const;
  const done = await execute(deps, ctx, emailDecider, streamOf.email(emailId), command);
  await deps.eraseSubject(emailId);
  return done;
}

/** A try failed. The mail is given up when the error is lasting, or with its third try: then an owner may retry it. */
export async function recordEmailFailed(
  deps: WriteDeps,
  ctx: Context,
  { emailId, error, ...shown }: Shown & { error: EmailError },
): Promise<CommandResult> {
  const at = deps.now();
  const command = {
    type: 'RecordFailed',
    ...shown,
    error: storableError(error),
    subjectId: await subjectOf(deps, emailId),
    at,
  } as const;
  return execute(deps, ctx, emailDecider, streamOf.email(emailId), command);
}

/** Not to be sent any more. */
export async function dropEmail(
  deps: WriteDeps,
  ctx: Context,
  { emailId, reason }: { emailId: string; reason: 'recipient_limit' | 'user_gone' | 'expired' },
): Promise<CommandResult> {
  const at = deps.now();
  const command = { type: 'DropEmail', reason, at } as const;
  const done = await execute(deps, ctx, emailDecider, streamOf.email(emailId), command);
  await deps.eraseSubject(emailId);
  return done;
}

/** An owner has a mail that was given up sent again. @throws DomainError EMAIL_NOT_FOUND, EMAIL_NOT_RETRYABLE */
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

/** A test mail was sent, or not: `error` says why. */
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
  const said = { response: storable(response), error: error && storableError(error) };
  const addressRef = addressRefOf(deps, projectId, test.to);
  const command = { type: 'RecordTest', emailId, subjectId, projectId, ...test, addressRef, ...said, at } as const;
  return execute(deps, ctx, emailDecider, streamOf.email(emailId), command);
}

const maxReplyLength = 2_000;

/** A mail server may say anything, also what no database takes: NUL characters, halves of surrogate pairs. */
const storable = (reply: string) => reply.replaceAll('\0', '').toWellFormed().slice(0, maxReplyLength).toWellFormed();

const storableError = ({ message, rawError, ...rest }: EmailError): EmailError => ({
  ...rest,
  message: storable(message),
  rawError: storable(rawError),
});

/** Whose key encrypts what is shown of the mail. */
async function subjectOf(deps: WriteDeps, emailId: string): Promise<string> {
  const state = await readEmail(deps, emailId);
  return ('userId' in state ? state.userId : null) ?? deps.newId();
}
