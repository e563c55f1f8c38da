import type { OAuthCodePayload, OAuthPurpose } from '@gatebook/domain/code/oauth';
import { DomainError, type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { quotaOf } from '@gatebook/domain/project/quotas';
import { providerGrantDecider } from '@gatebook/domain/provider-grant/decide';
import type { UserCommand } from '@gatebook/domain/user/decide';
import type { ActiveUser, UserState } from '@gatebook/domain/user/state';
import type { LoadedAggregate, UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { findSignInUser, reserveEmail } from '../reservation/email.ts';
import { accountRefOf, findOAuthUser, reserveOAuthAccount } from '../reservation/oauth-account.ts';
import { isSessionAlive, wereSessionsEndedSince } from '../session/liveness.ts';
import { streamOf } from '../streams.ts';
import { decideOnUser } from '../user/decide-on-user.ts';
import { loadUser } from '../user/load-user.ts';
import { addUser, emptyProfile } from '../user/new-user.ts';
import type { ProviderProfile, ProviderTokens } from './oauth-providers.ts';

type IdentifiedAccount = {
  provider: string;
  profile: ProviderProfile;
  /** null with shared keys: their tokens are given to nobody, so they are not stored. */
  providerGrant: { tokens: ProviderTokens; scopes: readonly string[] } | null;
};
type Account = IdentifiedAccount & { accountRef: string };
type SettleInput<A = Account> = {
  project: ProjectFacts;
  account: A;
  purpose: OAuthPurpose;
  /** IDs of the account, if it is new, and of the new user, if one is created. */
  ids: { oauthAccountId: string; userId: string; channelId: string };
  at: string;
};
type SettleResult = {
  /** The user of the account from now on, and the revision of their stream including what was decided here. */
  user: ActiveUser;
  userRevision: bigint;
  isNewUser: boolean;
  /** The user and revision that the decision is based on; null for a new user. */
  basis: OAuthCodePayload['user'];
};

/**
 * Decides which user the account belongs to from now on (protocol, auth §8.5). Order: reservations, the user, the
 * tokens of the provider.
 * @throws DomainError OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER,
 * USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION, SIGN_UP_NOT_ENABLED,
 * CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE, USER_NOT_FOUND, QUOTA_EXCEEDED, and
 * REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED when the session that requested the link is not alive
 */
export async function settleAccount(
  work: UnitOfWork,
  { account: identified, ...input }: SettleInput<IdentifiedAccount>,
): Promise<SettleResult> {
  const { deps, ctx } = work;
  const { purpose, at } = input;
  const { provider, profile } = identified;
  const account = {
    ...identified,
    accountRef: accountRefOf(deps, ctx.projectId, { provider, accountId: profile.accountId }),
  };
  const settleInput = { ...input, account };
  const settled =
    purpose.type === 'link' ? await link(work, settleInput, purpose) : await authenticate(work, settleInput);
  if (account.providerGrant) {
    const { accountRef, providerGrant } = account;
    const { userId } = settled.user;
    const { projectId } = ctx;
    const tokens = { ...providerGrant.tokens, scopes: [...providerGrant.scopes] };
    (await work.load(providerGrantDecider, streamOf.providerGrant(accountRef))).decide({
      type: 'StoreTokens',
      provider,
      accountRef,
      userId,
      projectId,
      at,
      ...tokens,
    });
  }
  return settled;
}

/** Errors of concurrent requests for the same address or account. After another request has won, its user is found. */
const takenCodes: readonly DomainErrorCode[] = [
  'USER_EMAIL_ALREADY_EXISTS',
  'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER',
];
const attempts = 3;

/** Runs `settle` again when a concurrent request took the address or account. @throws DomainError as `settleAccount` */
export async function retryWhenTaken<T>(settle: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await settle();
    } catch (error) {
      if (!(error instanceof DomainError) || !takenCodes.includes(error.code)) throw error;
      if (attempt < attempts) continue;
      if (error.code !== 'USER_EMAIL_ALREADY_EXISTS') throw error;
      return rejectTakenAddress(String(error.details.email));
    }
  }
}

async function link(
  work: UnitOfWork,
  { account, project, ids, at }: SettleInput,
  { userId, sessionId, userRevision }: Extract<OAuthPurpose, { type: 'link' }>,
): Promise<SettleResult> {
  const { deps } = work;
  const basis = { userId, userRevision };
  const user = await loadUser(work, userId);
  // Checked after loading the user: anything that ends their sessions from here on makes this append conflict.
  const isOver = !(await isSessionAlive(deps, sessionId)) || wereSessionsEndedSince(user.state, userRevision);
  if (isOver) reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  const found = await findOAuthUser(deps, account.accountRef);
  if (found && found.user.userId !== userId) reject('OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER');
  if (!found) await reserveAccount(work, account, userId, at);
  addAccount(user, account, { isOnlyOne: true, isConnecting: true, project, ids, at });
  return { ...toSettleResult(user, basis), isNewUser: false };
}

async function authenticate(work: UnitOfWork, settleInput: SettleInput): Promise<SettleResult> {
  const { deps, ctx } = work;
  const { account, project, ids, at } = settleInput;
  const { profile } = account;
  const found = await findOAuthUser(deps, account.accountRef);
  if (found) {
    const { user, revision } = found;
    const isSignIn = user.oauthAccounts.some((own) => own.accountRef === account.accountRef && own.allowSignIn);
    // The account belongs to this user, so it can't sign up another one.
    if (!isSignIn) reject('OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER');
    const basis = { userId: user.userId, userRevision: Number(revision) };
    return { user, userRevision: revision, isNewUser: false, basis };
  }
  if (!project.config.signUpEnabled) reject('SIGN_UP_NOT_ENABLED');
  const strategy = project.config.oauthAccountMergeStrategy;
  const holder = profile.email === null ? null : await findSignInUser(deps, ctx.projectId, profile.email);
  // Where no reset email can prove the address, the provider's verification takes it over from a user who has it
  // unverified (docs/decisions/0021).
  const canTakeOver = holder?.isVerified === false && profile.isEmailVerified && !project.config.credentialEnabled;
  const owner = holder?.isFree || canTakeOver ? null : holder;
  if (owner && profile.email !== null && strategy !== 'allow_duplicates') {
    // Someone who entered an address that is not theirs must not get the account of its owner, nor its owner theirs.
    const isSamePerson = strategy === 'link_method' && owner.isVerified && profile.isEmailVerified;
    if (!isSamePerson) rejectTakenAddress(profile.email);
    const { userId } = owner.user;
    await reserveAccount(work, account, userId, at);
    const { revision } = await loadUser(work, userId);
    const commands = [{ type: 'ProveAddress', email: profile.email, by: 'provider', at } as const];
    const user = await decideOnUser(work, { userId, commands, at });
    addAccount(user, account, { isOnlyOne: false, project, ids, at });
    return { ...toSettleResult(user, { userId, userRevision: Number(revision) }), isNewUser: false };
  }
  const user = await signUp(work, settleInput, { usedForAuth: owner === null });
  return { ...toSettleResult(user, null), isNewUser: true };
}

const toSettleResult = (
  { state, revision }: LoadedAggregate<UserState, UserCommand>,
  basis: OAuthCodePayload['user'],
) => ({
  user: state as ActiveUser,
  userRevision: revision,
  basis,
});

async function signUp(
  work: UnitOfWork,
  { account, project, ids, at }: SettleInput,
  { usedForAuth }: { usedForAuth: boolean },
): Promise<LoadedAggregate<UserState, UserCommand>> {
  const { userId, channelId } = ids;
  const { email, displayName, profileImageUrl, isEmailVerified: isVerified } = account.profile;
  if (email !== null && usedForAuth) await reserveEmail(work, { email, isVerified, holderId: userId, at });
  await reserveAccount(work, account, userId, at);
  const user = addUser(work, project, {
    ...emptyProfile,
    userId,
    displayName,
    profileImageUrl,
    isAnonymous: false,
    method: 'oauth',
    provider: account.provider,
    email: email === null ? null : { channelId, value: email, isVerified, usedForAuth },
    passwordHash: null,
    isOtpEnabled: false,
    at,
  });
  addAccount(user, account, { isOnlyOne: false, project, ids, at });
  return user;
}

async function reserveAccount(work: UnitOfWork, { accountRef }: Account, holderId: string, at: string): Promise<void> {
  await reserveOAuthAccount(work, { accountRef, holderId, at });
}

function addAccount(
  user: LoadedAggregate<UserState, UserCommand>,
  { provider, accountRef, profile: { accountId, email } }: Account,
  {
    project,
    ids,
    ...how
  }: Pick<SettleInput, 'project' | 'ids' | 'at'> & { isOnlyOne: boolean; isConnecting?: boolean },
): void {
  const { settings } = project;
  const limit = settings && quotaOf({ quotas: {}, ...settings }, 'providerAccountsPerUser');
  const id = ids.oauthAccountId;
  user.decide({ type: 'LinkOAuthAccount', id, provider, accountRef, accountId, email, limit, ...how });
}

function rejectTakenAddress(email: string): never {
  return reject('CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE', {
    type: 'email',
    contact_channel_value: email,
  });
}
