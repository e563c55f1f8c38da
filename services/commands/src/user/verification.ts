import { reject } from '@gatebook/domain/errors';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { primaryChannel } from '@gatebook/domain/user/state';
import { presentCode, useCode } from '../code/code.ts';
import { nameVariables, prepareCodeEmail } from '../code/code-email.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { decideOnUser } from './decide-on-user.ts';
import { findUser } from './load-user.ts';

type VerificationEmail = {
  project: ProjectFacts;
  userId: string;
  email: string;
  displayName: string | null;
  callbackUrl: string;
};

/** Prepares the email that verifies an address (protocol, auth §10). */
export function prepareVerificationEmail(deps: WriteDeps, ctx: Context, verification: VerificationEmail, at: string) {
  const { project, userId, email: recipient, displayName, callbackUrl } = verification;
  const names = { projectDisplayName: project.displayName, ...nameVariables(displayName) };
  const mail = {
    emailType: 'email_verification',
    purpose: 'contact_channel_verification',
    recipient,
    userId,
    callbackUrl,
    payload: { userId },
    variables: (link: string) => ({ ...names, emailVerificationLink: link }),
  } as const;
  return prepareCodeEmail(deps, ctx, mail, at);
}

type Request = { project: ProjectFacts; userId: string; callbackUrl: string };

/**
 * Sends a verification email to one of the user's channels.
 * @throws DomainError USER_ID_DOES_NOT_EXIST, EMAIL_CHANNEL_NOT_FOUND, EMAIL_ALREADY_VERIFIED,
 * REDIRECT_URL_NOT_WHITELISTED
 */
export async function sendVerificationCode(
  deps: WriteDeps,
  ctx: Context,
  { channelId, ...request }: Request & { channelId: string },
): Promise<CommandResult> {
  const user = await findUser(deps, ctx, request.userId, 'USER_ID_DOES_NOT_EXIST');
  const channel = user.channels.find(({ id }) => id === channelId);
  return channel ? sendVerification(deps, ctx, channel, user.displayName, request) : reject('EMAIL_CHANNEL_NOT_FOUND');
}

/** The older form, for the primary address only. @throws DomainError as above, and EMAIL_IS_NOT_PRIMARY_EMAIL */
export async function sendPrimaryVerificationCode(
  deps: WriteDeps,
  ctx: Context,
  { email, ...request }: Request & { email: string },
): Promise<CommandResult> {
  const user = await findUser(deps, ctx, request.userId);
  const primary = primaryChannel(user);
  if (!primary || primary.value !== email) {
    return reject('EMAIL_IS_NOT_PRIMARY_EMAIL', { email, primary_email: primary?.value ?? null });
  }
  return sendVerification(deps, ctx, primary, user.displayName, request);
}

async function sendVerification(
  deps: WriteDeps,
  ctx: Context,
  channel: { value: string | null; isVerified: boolean },
  displayName: string | null,
  { project, userId, callbackUrl }: Request,
): Promise<CommandResult> {
  const { value: email, isVerified } = channel;
  if (email === null) return reject('EMAIL_CHANNEL_NOT_FOUND');
  if (isVerified) reject('EMAIL_ALREADY_VERIFIED');
  if (!isTrustedUrl(callbackUrl, project.config)) reject('REDIRECT_URL_NOT_WHITELISTED');
  const at = deps.now();
  const mail = prepareVerificationEmail(deps, ctx, { project, userId, email, displayName, callbackUrl }, at);
  const { position } = await transact(deps, ctx, async (work) => mail.add(work));
  return { position };
}

type Verification = {
  code: string;
  /** User of the session sent with the request; null: none. */
  signedInUserId?: string | null;
  /** Published client libraries send no session with this request, even if there is one. */
  canSendSession?: boolean;
};

/**
 * Verifies an address: the bearer of the code owns the mailbox. With a session of the user, nothing else changes
 * (protocol, auth §10). Without one, the first verification removes all other credentials (docs/decisions/0021).
 * @throws DomainError the four errors of a code; VERIFICATION_CODE_NOT_FOUND also when the user or address no longer
 * exists
 */
export async function verifyEmail(
  deps: WriteDeps,
  ctx: Context,
  { code, signedInUserId = null, canSendSession = true }: Verification,
): Promise<CommandResult> {
  const presented = await presentCode(deps, ctx, { code, purpose: 'contact_channel_verification' });
  const { payload, recipient: email } = presented.issued;
  if (email === null) return reject('VERIFICATION_CODE_NOT_FOUND');
  const userId = String(payload.userId);
  const withoutSession = canSendSession ? 'none' : 'unavailable';
  const session = signedInUserId === userId ? 'own' : withoutSession;
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    await useCode(work, presented);
    const commands = [{ type: 'VerifyEmail', email, session, at } as const];
    await decideOnUser(work, { userId, commands, at, missingCode: 'VERIFICATION_CODE_NOT_FOUND' });
  });
  return { position };
}
