import type { OAuthGrant, OAuthPurpose } from '@gatebook/domain/code/oauth';
import { DomainError, type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { quotaOf } from '@gatebook/domain/project/quotas';
import { providerGrantDecider } from '@gatebook/domain/provider-grant/decide';
import type { UserCommand } from '@gatebook/domain/user/decide';
import type { ActiveUser, UserState } from '@gatebook/domain/user/state';
import type { LoadedAggregate, UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import {
  accountRefOf,
  findOAuthUser,
  findSignInUser,
  reserveEmail,
  reserveOAuthAccount,
} from '../reservation/reservation.ts';
import { isSessionAlive, wereSessionsEndedSince } from '../session/liveness.ts';
import { streamOf } from '../streams.ts';
import { decideOnUser } from '../user/decide-on-user.ts';
import { loadUser } from '../user/load-user.ts';
import { addUser, emptyProfile } from '../user/new-user.ts';
import type { ProviderId, ProviderProfile, ProviderTokens } from './oauth-providers.ts';

type IdentifiedAccount = {
  provider: ProviderId;
  profile: ProviderProfile;
  /** null with shared keys: these give nobody a provider's tokens, so none are kept. */
  kept: { tokens: ProviderTokens; scopes: readonly string[] } | null;
};
type Account = IdentifiedAccount & { accountRef: string };
type Settling<A = Account> = {
  project: ProjectFacts;
  account: A;
  purpose: OAuthPurpose;
  /** Of the user to be, unless the person is somebody already. */
  ids: { userId: string; channelId: string };
  at: string;
};
type Settled = {
  /** Whose the account is from now on, and the revision of their stream with what was decided here. */
  user: ActiveUser;
  userRevision: bigint;
  isNewUser: boolean;
  /** The user and revision that this stands on; null for a new user. */
  basis: OAuthGrant['user'];
};

/**
 * Whose the account is from now on (protocol, auth §8.5): reservations first, then the user, then the provider's tokens.
 * @throws DomainError OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER, USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION,
 * SIGN_UP_NOT_ENABLED, CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE, USER_NOT_FOUND, QUOTA_EXCEEDED, and
 * REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED where the session that asked for the link is over
 */
export async function settleAccount(
  work: UnitOfWork,
  { account: identified, ...given }: Settling<IdentifiedAccount>,
): Promise<Settled> {
  const { deps, ctx } = work;
  const { purpose, at } = given;
  const { provider, profile } = identified;
  const account = {
    ...identified,
    accountRef: accountRefOf(deps, ctx.projectId, { provider, accountId: profile.accountId }),
  };
  const settling = { ...given, account };
  const settled = purpose.type === 'link' ? await link(work, settling, purpose) : await authenticate(work, settling);
  if (account.kept) {
    const { accountRef, kept } = account;
    const { userId } = settled.user;
    const { projectId } = ctx;
    const tokens = { ...kept.tokens, scopes: [...kept.scopes] };
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

/** Others who want the same address or account at the same moment make it theirs first: then there is somebody to find. */
const lostRaces: readonly DomainErrorCode[] = [
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
      return rejectTakenAddress(String(error.details.email));
    }
  }
}

async function link(
  work: UnitOfWork,
  { account, project, at }: Settling,
  { userId, sessionId, userRevision }: Extract<OAuthPurpose, { type: 'link' }>,
): Promise<Settled> {
  const { deps } = work;
  const asked = { userId, userRevision };
  const user = await loadUser(work, userId);
  // After loading the user: whatever ends their sessions from here on makes this append lose the race.
  const isOver = !(await isSessionAlive(deps, sessionId)) || wereSessionsEndedSince(user.state, userRevision);
  if (isOver) reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  const found = await findOAuthUser(deps, account.accountRef);
  if (found && found.user.userId !== userId) reject('OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER');
  if (!found) await take(work, account, userId, at);
  addAccount(user, account, { isOnlyOne: true, project, at });
  return { ...settledOn(user, asked), isNewUser: false };
}

async function authenticate(work: UnitOfWork, settling: Settling): Promise<Settled> {
  const { deps, ctx } = work;
  const { account, project, at } = settling;
  const { profile } = account;
  const found = await findOAuthUser(deps, account.accountRef);
  if (found) {
    const { user, revision } = found;
    const basis = { userId: user.userId, userRevision: Number(revision) };
    return { user, userRevision: revision, isNewUser: false, basis };
  }
  if (!project.config.signUpEnabled) reject('SIGN_UP_NOT_ENABLED');
  const strategy = project.config.oauthAccountMergeStrategy;
  const holder = profile.email === null ? null : await findSignInUser(deps, ctx.projectId, profile.email);
  // Where no reset mail can prove the address, the provider's word takes it from who has it unverified (docs/decisions/0021).
  const isOutdone = holder?.isVerified === false && profile.isEmailVerified && !project.config.credentialEnabled;
  const owner = holder?.isFree || isOutdone ? null : holder;
  if (owner && profile.email !== null && strategy !== 'allow_duplicates') {
    // Whoever typed an address that is not theirs must not get the account of its owner, nor the other way round.
    const isSamePerson = strategy === 'link_method' && owner.isVerified && profile.isEmailVerified;
    if (!isSamePerson) rejectTakenAddress(profile.email);
    const { userId } = owner.user;
    await take(work, account, userId, at);
    const { revision } = await loadUser(work, userId);
    const commands = [{ type: 'ProveAddress', email: profile.email, by: 'provider', at } as const];
    const user = await decideOnUser(work, { userId, commands, at });
    addAccount(user, account, { isOnlyOne: false, project, at });
    return { ...settledOn(user, { userId, userRevision: Number(revision) }), isNewUser: false };
  }
  const user = await signUp(work, settling, { usedForAuth: owner === null });
  return { ...settledOn(user, null), isNewUser: true };
}

const settledOn = ({ state, revision }: LoadedAggregate<UserState, UserCommand>, basis: OAuthGrant['user']) => ({
  user: state as ActiveUser,
  userRevision: revision,
  basis,
});

async function signUp(
  work: UnitOfWork,
  { account, project, ids: { userId, channelId }, at }: Settling,
  { usedForAuth }: { usedForAuth: boolean },
): Promise<LoadedAggregate<UserState, UserCommand>> {
  const { email, displayName, profileImageUrl, isEmailVerified: isProven } = account.profile;
  if (email !== null && usedForAuth) await reserveEmail(work, { email, isProven, holderId: userId, at });
  await take(work, account, userId, at);
  const user = addUser(work, project, {
    ...emptyProfile,
    userId,
    displayName,
    profileImageUrl,
    isAnonymous: false,
    method: 'oauth',
    email: email === null ? null : { channelId, value: email, isVerified: isProven, usedForAuth },
    passwordHash: null,
    isOtpEnabled: false,
    at,
  });
  addAccount(user, account, { isOnlyOne: false, project, at });
  return user;
}

async function take(work: UnitOfWork, { accountRef }: Account, holderId: string, at: string): Promise<void> {
  await reserveOAuthAccount(work, { accountRef, holderId, at });
}

function addAccount(
  user: LoadedAggregate<UserState, UserCommand>,
  { provider, accountRef, profile: { accountId, email } }: Account,
  { isOnlyOne, project: { settings }, at }: { isOnlyOne: boolean; project: ProjectFacts; at: string },
): void {
  const limit = settings && quotaOf({ quotas: {}, ...settings }, 'providerAccountsPerUser');
  user.decide({ type: 'LinkOAuthAccount', provider, accountRef, accountId, email, isOnlyOne, limit, at });
}

function rejectTakenAddress(email: string): never {
  return reject('CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE', {
    type: 'email',
    contact_channel_value: email,
  });
}
