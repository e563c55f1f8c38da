import { reject } from '@gatebook/domain/errors';
import { checkPasswordLength } from '@gatebook/domain/user/password';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { accountRefOf, rejectTakenEmail, reserveEmail, reserveOAuthAccount } from '../reservation/reservation.ts';
import { addUser } from './new-user.ts';

import { checkPasswordInput, toAdminFieldCommands, type UserInput } from './user-input.ts';
/** An account at a provider with which the user can sign in. */
export type ProviderAccount = { provider: string; accountId: string; email: string | null };

/**
 * Creates a user on behalf of a server (protocol, resources §1.4).
 * @throws DomainError PASSWORD_TOO_LONG, EMAIL_FLAG_WITHOUT_EMAIL, USER_EMAIL_ALREADY_EXISTS, PASSWORD_METHOD_DISABLED,
 * USER_OAUTH_PROVIDER_UNKNOWN, OTP_METHOD_DISABLED, OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER: checked in
 * this order
 */
export async function createUser(
  deps: WriteDeps,
  ctx: Context,
  input: UserInput & { project: ProjectFacts; oauthAccounts?: readonly ProviderAccount[] },
): Promise<CommandResult<{ userId: string }>> {
  const { primaryEmail = null, primaryEmailVerified = false, primaryEmailAuthEnabled = false, project } = input;
  const { password = null, otpAuthEnabled = false, totpSecret = null } = input;
  checkPasswordInput(input);
  if (password !== null) checkPasswordLength(password);
  if (primaryEmail === null && (primaryEmailVerified || primaryEmailAuthEnabled)) reject('EMAIL_FLAG_WITHOUT_EMAIL');
  if (primaryEmail !== null && primaryEmailAuthEnabled) await rejectTakenEmail(deps, ctx.projectId, primaryEmail);
  const accounts = indexByRef(deps, ctx, project, input.oauthAccounts ?? []);
  const hasPassword = password !== null || input.passwordHash !== undefined;
  if (hasPassword && !project.config.credentialEnabled) reject('PASSWORD_METHOD_DISABLED');
  if (otpAuthEnabled && !project.config.magicLinkEnabled) reject('OTP_METHOD_DISABLED');
  const passwordHash = input.passwordHash ?? (password === null ? null : await deps.hasher.hash(password));

  const [userId, channelId, at] = [deps.newId(), deps.newId(), deps.now()];
  const { position } = await transact(deps, ctx, async (work) => {
    if (primaryEmail !== null && primaryEmailAuthEnabled) {
      await reserveEmail(work, { email: primaryEmail, holderId: userId, at });
    }
    for (const accountRef of accounts.keys()) {
      await reserveOAuthAccount(work, { accountRef, holderId: userId, at });
    }
    const user = addUser(work, project, {
      userId,
      displayName: input.displayName || null,
      profileImageUrl: input.profileImageUrl ?? null,
      clientMetadata: input.clientMetadata ?? null,
      clientReadOnlyMetadata: input.clientReadOnlyMetadata ?? null,
      serverMetadata: input.serverMetadata ?? null,
      isAnonymous: input.isAnonymous ?? false,
      method: 'server',
      email:
        primaryEmail === null
          ? null
          : { channelId, value: primaryEmail, isVerified: primaryEmailVerified, usedForAuth: primaryEmailAuthEnabled },
      passwordHash,
      isOtpEnabled: otpAuthEnabled,
      at,
    });
    if (totpSecret !== null) user.decide({ type: 'ChangeTotpSecret', secret: totpSecret, at });
    for (const [accountRef, account] of accounts) {
      user.decide({ type: 'LinkOAuthAccount', id: deps.newId(), accountRef, ...account, isOnlyOne: false, at });
    }
    for (const command of toAdminFieldCommands(input, at)) user.decide(command);
  });
  return { userId, position };
}

/** Removes duplicate accounts. @throws DomainError USER_OAUTH_PROVIDER_UNKNOWN */
function indexByRef(
  deps: WriteDeps,
  { projectId }: Context,
  { config }: ProjectFacts,
  accounts: readonly ProviderAccount[],
): ReadonlyMap<string, ProviderAccount> {
  const known: readonly string[] = config.oauthProviders.map(({ id }) => id);
  if (accounts.some(({ provider }) => !known.includes(provider))) reject('USER_OAUTH_PROVIDER_UNKNOWN');
  return new Map(accounts.map((account) => [accountRefOf(deps, projectId, account), account]));
}
