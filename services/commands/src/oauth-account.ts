import type { OAuthPurpose } from '@gatebook/domain/code/oauth';
import { connectionDecider } from '@gatebook/domain/connection/decide';
import { DomainError, type RefusalCode, refuse } from '@gatebook/domain/errors';
import { quotaOf } from '@gatebook/domain/project/quotas';
import type { UserCommand } from '@gatebook/domain/user/decide';
import type { UserState } from '@gatebook/domain/user/state';
import { findOAuthUser, findSignInUser, takeEmail, takeOAuthAccount } from './claim.ts';
import type { ProjectFacts } from './code-mail.ts';
import type { Context, WriteDeps } from './deps.ts';
import type { Loaded, Work } from './execute.ts';
import { loadUser } from './load-user.ts';
import { addUser, emptyProfile } from './new-user.ts';
import type { ProviderId, ProviderProfile, ProviderTokens } from './oauth-providers.ts';
import { streamOf } from './streams.ts';
import { decideOnUser } from './user.ts';

export type IdentifiedAccount = {
  provider: ProviderId;
  accountRef: string;
  profile: ProviderProfile;
  /** null with shared keys: these give nobody a provider's tokens, so none are kept. */
  kept: { tokens: ProviderTokens; scopes: readonly string[] } | null;
};
type Settling = {
  project: ProjectFacts;
  account: IdentifiedAccount;
  purpose: OAuthPurpose;
  /** Of the user to be, unless the person is somebody already. */
  ids: { userId: string; channelId: string };
  at: string;
};
type Settled = { userId: string; userRevision: bigint; isNewUser: boolean };

/**
 * Whose the account is from now on (protocol, auth §8.5): claims first, then the user, then the provider's tokens.
 * @throws DomainError OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER, USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION,
 * SIGN_UP_NOT_ENABLED, CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE, USER_NOT_FOUND, QUOTA_EXCEEDED
 */
export async function settleAccount(deps: WriteDeps, ctx: Context, work: Work, settling: Settling): Promise<Settled> {
  const { account, purpose, at } = settling;
  const settled =
    purpose.type === 'link'
      ? await link(deps, ctx, work, settling, purpose.userId)
      : await authenticate(deps, ctx, work, settling);
  if (account.kept) {
    const { provider, accountRef, kept } = account;
    const { userId } = settled;
    const { projectId } = ctx;
    const tokens = { ...kept.tokens, scopes: [...kept.scopes] };
    (await work.load(connectionDecider, streamOf.connection(accountRef))).decide({
      ...{ type: 'StoreTokens', provider, accountRef, userId, projectId, at },
      ...tokens,
    });
  }
  return settled;
}

/** Others who want the same address or account at the same moment make it theirs first: then there is somebody to find. */
const lostRaces: readonly RefusalCode[] = [
  'USER_EMAIL_ALREADY_EXISTS',
  'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER',
];
const attempts = 3;

/** Settles anew, with what others made in the meantime. @throws DomainError as `settleAccount` */
export async function untilSettled<T>(settle: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await settle();
    } catch (error) {
      if (!(error instanceof DomainError) || !lostRaces.includes(error.code)) throw error;
      if (attempt < attempts) continue;
      if (error.code !== 'USER_EMAIL_ALREADY_EXISTS') throw error;
      return refuseTakenAddress(String(error.details.email));
    }
  }
}

async function link(
  deps: WriteDeps,
  ctx: Context,
  work: Work,
  { account, project, at }: Settling,
  userId: string,
): Promise<Settled> {
  const found = await findOAuthUser(deps, account.accountRef);
  if (found && found.user.userId !== userId) refuse('OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER');
  if (!found) await take(deps, ctx, work, account, userId, at);
  const user = await loadUser(work, ctx, userId);
  addAccount(user, account, { isOnlyOne: true, project, at });
  return { userId, userRevision: user.revision, isNewUser: false };
}

async function authenticate(deps: WriteDeps, ctx: Context, work: Work, settling: Settling): Promise<Settled> {
  const { account, project, ids, at } = settling;
  const { profile } = account;
  const found = await findOAuthUser(deps, account.accountRef);
  if (found) return { userId: found.user.userId, userRevision: found.revision, isNewUser: false };
  if (!project.config.signUpEnabled) refuse('SIGN_UP_NOT_ENABLED');
  const strategy = project.config.oauthAccountMergeStrategy;
  const holder = profile.email === null ? null : await findSignInUser(deps, ctx.projectId, profile.email);
  // Where no reset mail can prove the address, the provider's word takes it from who has it unverified (docs/decisions/0021).
  const isOutdone = holder?.isVerified === false && profile.isEmailVerified && !project.config.credentialEnabled;
  const owner = holder?.isFree || isOutdone ? null : holder;
  if (owner && profile.email !== null && strategy !== 'allow_duplicates') {
    // Whoever typed an address that is not theirs must not get the account of its owner, nor the other way round.
    const isSamePerson = strategy === 'link_method' && owner.isVerified && profile.isEmailVerified;
    if (!isSamePerson) refuseTakenAddress(profile.email);
    const { userId } = owner.user;
    await take(deps, ctx, work, account, userId, at);
    const commands = [{ type: 'ProveAddress', email: profile.email, by: 'provider', at } as const];
    const user = await decideOnUser(deps, ctx, work, { userId, commands, at });
    addAccount(user, account, { isOnlyOne: false, project, at });
    return { userId, userRevision: user.revision, isNewUser: false };
  }
  const user = await signUp(deps, ctx, work, settling, { usedForAuth: owner === null });
  return { userId: ids.userId, userRevision: user.revision, isNewUser: true };
}

async function signUp(
  deps: WriteDeps,
  ctx: Context,
  work: Work,
  { account, project, ids: { userId, channelId }, at }: Settling,
  { usedForAuth }: { usedForAuth: boolean },
): Promise<Loaded<UserState, UserCommand>> {
  const { email, displayName, profileImageUrl, isEmailVerified: isProven } = account.profile;
  const { projectId } = ctx;
  if (email !== null && usedForAuth) await takeEmail(deps, work, { email, isProven, projectId, holderId: userId, at });
  await take(deps, ctx, work, account, userId, at);
  const user = addUser(deps, ctx, work, project, {
    ...emptyProfile,
    ...{ userId, displayName, profileImageUrl, isAnonymous: false, method: 'oauth' },
    email: email === null ? null : { channelId, value: email, isVerified: isProven, usedForAuth },
    passwordHash: null,
    isOtpEnabled: false,
    at,
  });
  addAccount(user, account, { isOnlyOne: false, project, at });
  return user;
}

async function take(
  deps: WriteDeps,
  { projectId }: Context,
  work: Work,
  { accountRef }: IdentifiedAccount,
  holderId: string,
  at: string,
): Promise<void> {
  await takeOAuthAccount(deps, work, { accountRef, projectId, holderId, at });
}

function addAccount(
  user: Loaded<UserState, UserCommand>,
  { provider, accountRef, profile: { accountId, email } }: IdentifiedAccount,
  { isOnlyOne, project: { settings }, at }: { isOnlyOne: boolean; project: ProjectFacts; at: string },
): void {
  const limit = settings && quotaOf({ quotas: {}, ...settings }, 'providerAccountsPerUser');
  user.decide({ type: 'LinkOAuthAccount', provider, accountRef, accountId, email, isOnlyOne, limit, at });
}

function refuseTakenAddress(email: string): never {
  return refuse('CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE', {
    type: 'email',
    contact_channel_value: email,
  });
}
