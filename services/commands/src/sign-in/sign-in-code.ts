import type { IssuedCode } from '@gatebook/domain/code/state';
import { reject } from '@gatebook/domain/errors';
import type { ProjectConfig } from '@gatebook/domain/project/config';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { rejectAdminRestriction } from '@gatebook/domain/user/restriction';
import { presentCode, useCode } from '../code/code.ts';
import { prepareCodeEmail } from '../code/code-email.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact, type UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { findSignInUser, type SignInUser, takenEmailRejection } from '../reservation/email.ts';
import { wereSessionsEndedSince } from '../session/liveness.ts';
import { decideOnUser } from '../user/decide-on-user.ts';
import { prepareSignIn, registerUser, requireSession, type SignedIn } from './sign-in.ts';

/**
 * The email shows only the first 6 of the 45 characters of a code; the rest stays with the client (protocol, auth
 * §3.1).
 */
const typedLength = 6;

/**
 * Emails a link and a short code for sign-in. Returns a nonce that completes the short code. Changes nothing of the
 * user, because a stranger can request the email (docs/decisions/0034).
 * @throws DomainError OTP_SIGN_IN_DISABLED, USER_EMAIL_ALREADY_EXISTS when another user has the address unverified,
 * SIGN_UP_NOT_ENABLED, REDIRECT_URL_NOT_WHITELISTED
 */
export async function sendSignInCode(
  deps: WriteDeps,
  ctx: Context,
  { email, callbackUrl, project }: { email: string; callbackUrl: string; project: ProjectFacts },
): Promise<CommandResult<{ nonce: string }>> {
  const { config, displayName: projectDisplayName } = project;
  if (!config.magicLinkEnabled) reject('OTP_SIGN_IN_DISABLED');
  const found = await findCodeUser(deps, ctx, email, config);
  if (!isTrustedUrl(callbackUrl, config)) reject('REDIRECT_URL_NOT_WHITELISTED');
  const at = deps.now();
  const variables = (link: string, code: string) => {
    return { projectDisplayName, magicLink: link, otp: code.slice(0, typedLength).toUpperCase() };
  };
  const mail = prepareCodeEmail(
    deps,
    ctx,
    {
      emailType: 'magic_link',
      purpose: 'sign_in',
      recipient: found?.address ?? email,
      userId: found?.user.userId ?? null,
      callbackUrl,
      payload: { userRevision: found ? Number(found.revision) : beforeAnyUser },
      variables,
    },
    at,
  );
  const { position } = await transact(deps, ctx, async (work) => mail.add(work));
  return { nonce: mail.code.slice(typedLength), position };
}

/** For a code that was requested when nobody had the address. */
const beforeAnyUser = -1;

/** Whatever ends the sessions of a user also ends the codes that were requested before. */
function rejectEnded({ user }: SignInUser, { payload: { userRevision } }: IssuedCode): void {
  // Codes of earlier releases have no revision.
  const isEnded = typeof userRevision === 'number' && wereSessionsEndedSince(user, userRevision);
  if (isEnded) reject('VERIFICATION_CODE_EXPIRED', {}, user.userId);
}

/** Checks a code without using it. @throws DomainError the four errors of a code */
export async function checkSignInCode(deps: WriteDeps, ctx: Context, { code }: { code: string }): Promise<void> {
  const { issued } = await presentCode(deps, ctx, { code, purpose: 'sign_in' });
  const found = issued.recipient === null ? null : await findSignInUser(deps, ctx.projectId, issued.recipient);
  if (found) rejectEnded(found, issued);
}

type Redemption = { code: string; project: ProjectFacts; anonymousUserId: string | null };

/**
 * Signs in the owner of the mailbox. If no user has the address, creates one with the address verified (protocol, auth
 * §3.2).
 * @throws DomainError the four errors of a code, OTP_SIGN_IN_DISABLED, USER_EMAIL_ALREADY_EXISTS, SIGN_UP_NOT_ENABLED:
 * before the code is used; MULTI_FACTOR_AUTHENTICATION_REQUIRED after
 */
export async function signInWithCode(
  deps: WriteDeps,
  ctx: Context,
  { code, project, anonymousUserId }: Redemption,
): Promise<CommandResult<SignedIn>> {
  const { config } = project;
  const presented = await presentCode(deps, ctx, { code, purpose: 'sign_in' });
  const { recipient: email } = presented.issued;
  if (email === null) return reject('VERIFICATION_CODE_NOT_FOUND');
  const [userId, channelId, at] = [deps.newId(), deps.newId(), deps.now()];
  const signIn = prepareSignIn(deps, ctx, at);
  const { result, position } = await transact(deps, ctx, async (work) => {
    const found = await findCodeUser(deps, ctx, email, config);
    if (!found && !config.magicLinkEnabled) reject('OTP_SIGN_IN_DISABLED');
    if (found) {
      rejectAdminRestriction(found.user);
      rejectEnded(found, presented.issued);
    }
    await useCode(work, presented);
    if (found)
      return signIn.finish(work, {
        ...(await acceptCode(work, { found, email, at })),
        isNewUser: false,
        method: 'otp',
      });
    const flags = { isEmailVerified: true, isOtpEnabled: true, passwordHash: null, displayName: null };
    const newUser = { project, userId, channelId, anonymousUserId, email, ...flags, method: 'otp', at } as const;
    const { user, revision: userRevision } = await registerUser(work, newUser);
    return signIn.finish(work, { user, userRevision, isNewUser: true, method: 'otp' });
  });
  return { ...requireSession(result), position };
}

/**
 * Finds the user who signs in with a code to the address; null when the address may sign up (protocol, auth §0.4). An
 * unverified owner is rejected where a reset email can prove the address, and signed in where it can't
 * (docs/decisions/0021).
 */
async function findCodeUser(
  deps: WriteDeps,
  ctx: Context,
  email: string,
  { signUpEnabled, credentialEnabled }: ProjectConfig,
): Promise<SignInUser | null> {
  const found = await findSignInUser(deps, ctx.projectId, email);
  if (found && !found.isVerified && !found.isFree && credentialEnabled) {
    const { code, details } = takenEmailRejection(email);
    return reject(code, details);
  }
  if (found && found.standing !== 'additional') return found;
  return signUpEnabled ? null : reject('SIGN_UP_NOT_ENABLED');
}

type AcceptedCode = { found: SignInUser; email: string; at: string };

/** Records that the code proves the address, and allows its owner to sign in with codes from now on. */
async function acceptCode(work: UnitOfWork, { found, email, at }: AcceptedCode) {
  const { userId } = found.user;
  const commands = [
    { type: 'ProveAddress', email, by: 'sign_in_code', at },
    { type: 'AllowSignInCode', at },
  ] as const;
  const user = await decideOnUser(work, { userId, commands, at });
  if (user.state.status !== 'active') return reject('USER_NOT_FOUND');
  return { user: user.state, userRevision: user.revision };
}
