import { refuse } from '@gatebook/domain/errors';
import type { ProjectConfig } from '@gatebook/domain/project/config';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { checkNewPassword } from '@gatebook/domain/user/password';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import { findSignInUser } from './claim.ts';
import { presentCode, useCode } from './code.ts';
import { named, newCodeMail, type ProjectFacts } from './code-mail.ts';
import { type Context, type Done, metadataOf, type WriteDeps } from './deps.ts';
import { transact } from './execute.ts';
import { loadUser } from './load-user.ts';
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
): Promise<Done> {
  requirePasswordMethod(project.config);
  if (!isTrustedUrl(callbackUrl, project.config)) refuse('REDIRECT_URL_NOT_WHITELISTED');
  const found = await findSignInUser(deps, ctx.projectId, email);
  if (!found) return { position: null };
  const { userId, displayName } = found.user;
  const names = { projectDisplayName: project.displayName, ...named(displayName) };
  const at = deps.now();
  const mail = newCodeMail(
    deps,
    ctx,
    {
      emailType: 'password_reset',
      purpose: 'password_reset',
      recipient: found.address,
      userId,
      callbackUrl,
      payload: { userId },
      variables: (link) => ({ ...names, passwordResetLink: link }),
    },
    at,
  );
  const { position } = await transact(deps.store, metadataOf(ctx, at), async (work) => mail.add(work));
  return { position };
}

/**
 * The first password, or another; all sessions end (protocol, auth §1.6). A code for an address that the user no longer signs
 * in with is worth nothing: whoever has that mailbox now is somebody else.
 * @throws DomainError the four of a code, PASSWORD_AUTHENTICATION_NOT_ENABLED, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG; but for
 * the code's own, none uses the code up
 */
export async function resetPassword(
  deps: WriteDeps,
  ctx: Context,
  { code, password, config }: { code: string; password: string; config: Pick<ProjectConfig, 'credentialEnabled'> },
): Promise<Done> {
  const presented = await presentCode(deps, ctx, { code, purpose: 'password_reset' });
  requirePasswordMethod(config);
  checkNewPassword(password);
  const { payload, recipient } = presented.issued;
  const passwordHash = await deps.hasher.hash(password);
  const at = deps.now();
  const { position } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    const user = await loadUser(work, ctx, String(payload.userId), 'VERIFICATION_CODE_NOT_FOUND');
    if (recipient === null || !signsInWith(user.state, recipient)) refuse('VERIFICATION_CODE_NOT_FOUND');
    await useCode(work, presented);
    user.decide({ type: 'ResetPassword', passwordHash, at });
  });
  return { position };
}
