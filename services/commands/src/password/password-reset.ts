import { reject } from '@gatebook/domain/errors';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import type { ActiveUser } from '@gatebook/domain/user/state';
import { type PresentedCode, presentCode, useCode } from '../code/code.ts';
import { nameVariables, prepareCodeEmail } from '../code/code-email.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { findSignInUser } from '../reservation/reservation.ts';
import { registerUser } from '../sign-in/sign-in.ts';
import { decideOnUser } from '../user/decide-on-user.ts';
import { loadUser } from '../user/load-user.ts';
import { checkChosenPassword } from './chosen-password.ts';
import { requirePasswordMethod } from './password.ts';

/**
 * Mails a reset link to whoever signs in with the address; nobody does, nothing happens, and the caller is not told
 * (protocol, auth §1.5). The mail goes to the address on file, not to the one typed: two that compare as one may be two
 * mailboxes.
 * @throws DomainError PASSWORD_AUTHENTICATION_NOT_ENABLED, REDIRECT_URL_NOT_WHITELISTED
 */
export async function sendResetCode(
  deps: WriteDeps,
  ctx: Context,
  { email, callbackUrl, project }: { email: string; callbackUrl: string; project: ProjectFacts },
): Promise<CommandResult> {
  requirePasswordMethod(project.config);
  if (!isTrustedUrl(callbackUrl, project.config)) reject('REDIRECT_URL_NOT_WHITELISTED');
  const found = await findSignInUser(deps, ctx.projectId, email);
  // The account of an additional unverified address is somebody else's: the owner of the mailbox gets one of their own.
  const isOwn = found?.standing !== 'additional';
  if (!found || (!isOwn && !project.config.signUpEnabled)) return { position: null };
  const { userId, displayName } = found.user;
  const names = { projectDisplayName: project.displayName, ...(isOwn && nameVariables(displayName)) };
  const at = deps.now();
  const mail = prepareCodeEmail(
    deps,
    ctx,
    {
      emailType: 'password_reset',
      purpose: 'password_reset',
      recipient: found.address,
      userId: isOwn ? userId : null,
      callbackUrl,
      payload: isOwn ? { userId } : {},
      variables: (link) => ({ ...names, passwordResetLink: link }),
    },
    at,
  );
  const { position } = await transact(deps, ctx, async (work) => {
    if (isOwn) (await loadUser(work, userId)).decide({ type: 'RequestPasswordReset', codeId: mail.codeId, at });
    mail.add(work);
  });
  return { position };
}

/** Looks without using the code up. @throws DomainError as `resetPassword` does of a code */
export async function checkResetCode(deps: WriteDeps, ctx: Context, { code }: { code: string }): Promise<void> {
  const presented = await presentCode(deps, ctx, { code, purpose: 'password_reset' });
  const { account, codeId } = await findAccount(deps, ctx, presented);
  if (account && codeId !== null && codeId !== account.resetCode?.codeId) reject('VERIFICATION_CODE_EXPIRED');
}

type Reset = { code: string; password: string; project: ProjectFacts };

/**
 * The first password, or another; all sessions end (protocol, auth §1.6). The first proof of an address ends all else that opens
 * the account (docs/decisions/0021). A code for an address that the user no longer signs in with is worth nothing: whoever has that
 * mailbox now is somebody else. Nor is one that is followed by another code, a reset or a password change.
 * @throws DomainError the four of a code, PASSWORD_AUTHENTICATION_NOT_ENABLED, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG,
 * SCHEMA_ERROR; but for the code's own, none uses the code up
 */
export async function resetPassword(
  deps: WriteDeps,
  ctx: Context,
  { code, password, project }: Reset,
): Promise<CommandResult<{ userId: string }>> {
  const presented = await presentCode(deps, ctx, { code, purpose: 'password_reset' });
  requirePasswordMethod(project.config);
  await checkChosenPassword(password, project.settings);
  const passwordHash = await deps.hasher.hash(password);
  const [newUserId, channelId, at] = [deps.newId(), deps.newId(), deps.now()];
  const { result: userId, position } = await transact(deps, ctx, async (work) => {
    await useCode(work, presented);
    const { account, codeId, email } = await findAccount(deps, ctx, presented);
    if (account) {
      const commands = [
        { type: 'ProveAddress', email, by: 'password_reset', at },
        { type: 'ResetPassword', codeId, passwordHash, at },
      ] as const;
      const { userId } = account;
      await decideOnUser(work, { userId, commands, at, missing: 'VERIFICATION_CODE_NOT_FOUND' });
      return userId;
    }
    if (!project.config.signUpEnabled) reject('VERIFICATION_CODE_NOT_FOUND');
    await registerUser(work, {
      project,
      userId: newUserId,
      channelId,
      anonymousUserId: null,
      email,
      isEmailVerified: true,
      displayName: null,
      passwordHash,
      isOtpEnabled: false,
      method: 'password',
      at,
    });
    return newUserId;
  });
  return { userId, position };
}

type Account = {
  email: string;
  /** null: the owner of the mailbox gets an account of their own. */
  account: ActiveUser | null;
  /** Which code the account has to be waiting for; null: any of the address. */
  codeId: string | null;
};

/** Which account the code resets. @throws DomainError VERIFICATION_CODE_NOT_FOUND */
async function findAccount(deps: WriteDeps, ctx: Context, { codeId, issued }: PresentedCode): Promise<Account> {
  const { recipient: email, payload } = issued;
  if (email === null) return reject('VERIFICATION_CODE_NOT_FOUND');
  const found = await findSignInUser(deps, ctx.projectId, email);
  const isOfAccount = payload.userId !== undefined;
  if (isOfAccount && found?.user.userId !== payload.userId) return reject('VERIFICATION_CODE_NOT_FOUND');
  if (!found || found.standing === 'additional') return { email, account: null, codeId: null };
  if (!isOfAccount && found.isVerified) return reject('VERIFICATION_CODE_NOT_FOUND');
  return { email, account: found.user, codeId: isOfAccount ? codeId : null };
}
