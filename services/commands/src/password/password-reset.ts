import { reject } from '@gatebook/domain/errors';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import type { ActiveUser } from '@gatebook/domain/user/state';
import { type PresentedCode, presentCode, useCode } from '../code/code.ts';
import { nameVariables, prepareCodeEmail } from '../code/code-email.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { findSignInUser } from '../reservation/email.ts';
import { registerUser } from '../sign-in/sign-in.ts';
import { decideOnUser } from '../user/decide-on-user.ts';
import { loadUser } from '../user/load-user.ts';
import { checkChosenPassword } from './chosen-password.ts';
import { requirePasswordMethod } from './password.ts';

/**
 * Emails a reset link to the user who signs in with the address. Does nothing if there is none, and does not tell the
 * caller (protocol, auth §1.5). The email goes to the stored address, not to the entered one: two addresses that
 * compare equal may be two mailboxes.
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
  // An additional unverified address does not give access to the account: the owner of the mailbox gets a new account.
  const isAccountOwner = found?.standing !== 'additional';
  if (!found || (!isAccountOwner && !project.config.signUpEnabled)) return { position: null };
  const { userId, displayName } = found.user;
  const names = { projectDisplayName: project.displayName, ...(isAccountOwner && nameVariables(displayName)) };
  const at = deps.now();
  const mail = prepareCodeEmail(
    deps,
    ctx,
    {
      emailType: 'password_reset',
      purpose: 'password_reset',
      recipient: found.address,
      userId: isAccountOwner ? userId : null,
      callbackUrl,
      payload: isAccountOwner ? { userId } : {},
      variables: (link) => ({ ...names, passwordResetLink: link }),
    },
    at,
  );
  const { position } = await transact(deps, ctx, async (work) => {
    if (isAccountOwner)
      (await loadUser(work, userId)).decide({ type: 'RequestPasswordReset', codeId: mail.codeId, at });
    mail.add(work);
  });
  return { position };
}

/** Checks a code without using it. @throws DomainError the code errors of `resetPassword` */
export async function checkResetCode(deps: WriteDeps, ctx: Context, { code }: { code: string }): Promise<void> {
  const presented = await presentCode(deps, ctx, { code, purpose: 'password_reset' });
  const { account, codeId } = await findAccount(deps, ctx, presented);
  if (account && codeId !== null && codeId !== account.resetCode?.codeId) reject('VERIFICATION_CODE_EXPIRED');
}

type Reset = { code: string; password: string; project: ProjectFacts };

/**
 * Sets a password and ends all sessions (protocol, auth §1.6). The first proof of an address removes all other
 * credentials (docs/decisions/0021). Rejects a code for an address that the user no longer signs in with, because its
 * mailbox may belong to someone else now, and a code that was followed by another code, a reset or a password change.
 * @throws DomainError the four errors of a code, PASSWORD_AUTHENTICATION_NOT_ENABLED, PASSWORD_TOO_SHORT,
 * PASSWORD_TOO_LONG, SCHEMA_ERROR; only the errors of the code itself use it up
 */
export async function resetPassword(
  deps: WriteDeps,
  ctx: Context,
  { code, password, project }: Reset,
): Promise<CommandResult<{ userId: string }>> {
  const presented = await presentCode(deps, ctx, { code, purpose: 'password_reset' });
  requirePasswordMethod(project.config);
  await checkChosenPassword(password, project.settings);
  const passwordHash = await deps.hasher.hash(password, ctx.network);
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
      await decideOnUser(work, { userId, commands, at, missingCode: 'VERIFICATION_CODE_NOT_FOUND' });
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

type ResetTarget = {
  email: string;
  /** null: the owner of the mailbox gets a new account. */
  account: ActiveUser | null;
  /** ID of the code that the account must be waiting for; null: any code to the address. */
  codeId: string | null;
};

/** Finds the account that the code resets. @throws DomainError VERIFICATION_CODE_NOT_FOUND */
async function findAccount(deps: WriteDeps, ctx: Context, { codeId, issued }: PresentedCode): Promise<ResetTarget> {
  const { recipient: email, payload } = issued;
  if (email === null) return reject('VERIFICATION_CODE_NOT_FOUND');
  const found = await findSignInUser(deps, ctx.projectId, email);
  const isOfAccount = payload.userId !== undefined;
  if (isOfAccount && found?.user.userId !== payload.userId) return reject('VERIFICATION_CODE_NOT_FOUND');
  if (!found || found.standing === 'additional') return { email, account: null, codeId: null };
  if (!isOfAccount && found.isVerified) return reject('VERIFICATION_CODE_NOT_FOUND');
  return { email, account: found.user, codeId: isOfAccount ? codeId : null };
}
