import { reject } from '@gatebook/domain/errors';
import type { UserCommand } from '@gatebook/domain/user/decide';
import { checkPasswordLength } from '@gatebook/domain/user/password';
import type { UserState } from '@gatebook/domain/user/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { type LoadedAggregate, transact, type UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { rejectTakenEmail, reserveEmail } from '../reservation/email.ts';
import { accountRefOf, reserveOAuthAccount } from '../reservation/oauth-account.ts';
import { checkSignUpTime, requireFreeUserId, signUpTime } from './imported-user.ts';
import { addUser } from './new-user.ts';
import { checkPasswordInput, toAdminFieldCommands, type UserInput } from './user-input.ts';

/** An account at a provider with which the user can sign in. */
export type ProviderAccount = { provider: string; accountId: string; email: string | null };

/** An address besides the primary one. */
export type OtherEmail = { value: string; isVerified: boolean; usedForAuth: boolean };

export type NewUserInput = UserInput & {
  project: ProjectFacts;
  otherEmails?: readonly OtherEmail[] | undefined;
  oauthAccounts?: readonly ProviderAccount[] | undefined;
  /** ID of an imported user; default: a new one. */
  id?: string | undefined;
  /** When an imported user signed up elsewhere, in milliseconds since 1970; default: now. */
  signedUpAtMillis?: number | undefined;
};

/**
 * Creates a user on behalf of a server (protocol, resources §1.4).
 * @throws DomainError SIGN_UP_TIME_IN_FUTURE, PASSWORD_TOO_LONG, EMAIL_FLAG_WITHOUT_EMAIL, USER_EMAIL_ALREADY_EXISTS,
 * USER_OAUTH_PROVIDER_UNKNOWN, PASSWORD_METHOD_DISABLED, OTP_METHOD_DISABLED, USER_ID_TAKEN,
 * OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER: checked in this order
 */
export async function createUser(
  deps: WriteDeps,
  ctx: Context,
  input: NewUserInput,
): Promise<CommandResult<{ userId: string }>> {
  const { primaryEmail = null, primaryEmailAuthEnabled = false, password = null } = input;
  const at = deps.now();
  checkSignUpTime(input.signedUpAtMillis, at);
  checkPasswordInput(input);
  if (password !== null) checkPasswordLength(password);
  checkEmailFlags(input);
  if (primaryEmail !== null && primaryEmailAuthEnabled) await rejectTakenEmail(deps, ctx.projectId, primaryEmail);
  const accounts = indexByRef(deps, ctx, input);
  checkMethods(input);
  const passwordHash = input.passwordHash ?? (password === null ? null : await deps.hasher.hash(password, ctx.network));

  const [userId, channelId] = [input.id ?? deps.newId(), deps.newId()];
  const { position } = await transact(deps, ctx, async (work) => {
    if (input.id !== undefined) await requireFreeUserId(work, input.id);
    await decideNewUser(work, { ...input, userId, channelId, accounts, passwordHash, at });
  });
  return { userId, position };
}

/** @throws DomainError EMAIL_FLAG_WITHOUT_EMAIL */
export function checkEmailFlags({ primaryEmail, primaryEmailVerified, primaryEmailAuthEnabled }: UserInput): void {
  if ((primaryEmail ?? null) === null && (primaryEmailVerified || primaryEmailAuthEnabled)) {
    reject('EMAIL_FLAG_WITHOUT_EMAIL');
  }
}

/** @throws DomainError PASSWORD_METHOD_DISABLED, OTP_METHOD_DISABLED */
export function checkMethods({ password = null, passwordHash, otpAuthEnabled, project: { config } }: NewUserInput) {
  if ((password !== null || passwordHash !== undefined) && !config.credentialEnabled) {
    reject('PASSWORD_METHOD_DISABLED');
  }
  if (otpAuthEnabled && !config.magicLinkEnabled) reject('OTP_METHOD_DISABLED');
}

export type PreparedNewUser = Omit<NewUserInput, 'passwordHash'> & {
  userId: string;
  channelId: string;
  accounts: ReadonlyMap<string, ProviderAccount>;
  passwordHash: string | null;
  /** Whether a user who has the primary address unverified loses it (docs/decisions/0022). */
  takesAddress?: boolean;
  at: string;
};

/** @throws DomainError USER_EMAIL_ALREADY_EXISTS, OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER */
export async function decideNewUser(
  work: UnitOfWork,
  input: PreparedNewUser,
): Promise<LoadedAggregate<UserState, UserCommand>> {
  const { userId, channelId, project, accounts, passwordHash, at } = input;
  const { primaryEmail = null, primaryEmailVerified = false, primaryEmailAuthEnabled = false, totpSecret } = input;
  const { otherEmails = [] } = input;
  const holder = { holderId: userId, at };
  if (primaryEmail !== null && primaryEmailAuthEnabled) {
    await reserveEmail(work, { email: primaryEmail, isVerified: input.takesAddress ?? false, ...holder });
  }
  for (const { value, usedForAuth } of otherEmails) {
    if (usedForAuth) await reserveEmail(work, { email: value, ...holder });
  }
  for (const accountRef of accounts.keys()) await reserveOAuthAccount(work, { accountRef, ...holder });
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
    isOtpEnabled: input.otpAuthEnabled ?? false,
    ...(input.signedUpAtMillis !== undefined && { signedUpAt: signUpTime(input.signedUpAtMillis, at) }),
    at,
  });
  for (const email of otherEmails) {
    user.decide({ type: 'AddChannel', channelId: work.deps.newId(), ...email, isPrimary: false, at });
  }
  if (totpSecret) user.decide({ type: 'ChangeTotpSecret', secret: totpSecret, at });
  for (const [accountRef, account] of accounts) {
    user.decide({ type: 'LinkOAuthAccount', id: work.deps.newId(), accountRef, ...account, isOnlyOne: false, at });
  }
  for (const command of toAdminFieldCommands(input, at)) user.decide(command);
  return user;
}

/** Removes duplicate accounts. @throws DomainError USER_OAUTH_PROVIDER_UNKNOWN */
export function indexByRef(
  deps: WriteDeps,
  { projectId }: Context,
  { project, oauthAccounts: accounts = [] }: NewUserInput,
): ReadonlyMap<string, ProviderAccount> {
  const known: readonly string[] = project.config.oauthProviders.map(({ id }) => id);
  if (accounts.some(({ provider }) => !known.includes(provider))) reject('USER_OAUTH_PROVIDER_UNKNOWN');
  return new Map(accounts.map((account) => [accountRefOf(deps, projectId, account), account]));
}
