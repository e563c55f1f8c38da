import { type ClaimCommand, claimDecider } from '@gatebook/domain/claim/decide';
import type { ClaimKind } from '@gatebook/domain/claim/events';
import type { ClaimState } from '@gatebook/domain/claim/state';
import { type RefusalCode, refuse } from '@gatebook/domain/errors';
import { hasLapsed, type Standing, standingOf } from '@gatebook/domain/user/address-proof';
import { userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail, isSameEmail } from '@gatebook/domain/user/email';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import type { ActiveUser, Channel, UserState } from '@gatebook/domain/user/state';
import type { WriteDeps } from './deps.ts';
import { type Loaded, readState, type Work } from './execute.ts';
import { streamOf } from './streams.ts';

type Holding = { projectId: string; holderId: string; at: string };
/** `isProven`: the holder has the mailbox, which outdoes whoever has the address unverified. */
type EmailClaim = Holding & { email: string; isProven?: boolean };
type PasskeyClaim = Holding & { credentialId: string };
export type FoundUser = { user: ActiveUser; revision: bigint };
/** `address` is the user's own, as on file. `isFree`: anybody may take it, since it was not verified in time. */
export type SignInUser = FoundUser & { address: string; isVerified: boolean; standing: Standing; isFree: boolean };
export type Refusal = { code: RefusalCode; details: Readonly<Record<string, unknown>> };

/** Stands in for the user of an unknown address, so that finding nobody costs the same reads. */
const nobody = '00000000-0000-0000-0000-000000000000';

/**
 * Makes `email` the holder's alone, for signing in.
 * @throws DomainError USER_EMAIL_ALREADY_EXISTS, unless told otherwise, when somebody else has it
 */
export async function takeEmail(
  deps: WriteDeps,
  work: Work,
  { email, isProven = false, ...claim }: EmailClaim,
  refusal: Refusal = emailTaken(email),
): Promise<void> {
  const stream = emailClaim(deps, claim.projectId, email);
  const hasIt = (user: UserState) => signsInWith(user, email);
  const loaded = await work.load(claimDecider, stream);
  const { state } = loaded;
  if (state.status === 'taken' && state.holderId !== claim.holderId) {
    const holder = await work.load(userDecider, streamOf.user(state.holderId));
    const channel = signInChannel(holder.state, email);
    const isOutdone = channel?.isVerified === false && (isProven || isFree(holder.state, channel, claim.at));
    if (isOutdone) {
      // The holder's stream comes first: a log that keeps no more leaves an unverified address that signs nobody in.
      holder.decide({ type: 'ReleaseAddress', email, at: claim.at });
      loaded.decide({ type: 'ReleaseClaim', holderId: state.holderId, at: claim.at });
    }
  }
  await take(deps, loaded, { kind: 'email', hasIt, refusal, ...claim });
}

/** Nothing happens when the claim is not the holder's. */
export async function releaseEmail(deps: WriteDeps, work: Work, { email, ...claim }: EmailClaim): Promise<void> {
  await release(work, emailClaim(deps, claim.projectId, email), claim);
}

/** Who signs in with `email`: the claim leads to the user, and the user's own stream has the last word. */
export async function findSignInUser(
  deps: Pick<WriteDeps, 'store' | 'lookupHash' | 'now'>,
  projectId: string,
  email: string,
): Promise<SignInUser | null> {
  const found = await findHolder(deps, emailClaim(deps, projectId, email), (user) => signsInWith(user, email));
  const channel = found && signInChannel(found.user, email);
  if (!found || !channel) return null;
  const { isVerified } = channel;
  const standing = standingOf(found.user, channel);
  return {
    ...found,
    address: channel.value ?? email,
    isVerified,
    standing,
    isFree: isFree(found.user, channel, deps.now()),
  };
}

const isFree = (user: UserState, channel: Channel, at: string) =>
  user.status === 'active' && hasLapsed(user, channel, at);

function signInChannel(user: UserState, email: string): Channel | undefined {
  if (user.status !== 'active') return undefined;
  return user.channels.find(({ value, usedForAuth }) => usedForAuth && isSameEmail(value, email));
}

/** Tells of a conflict before a password is hashed; the claim decides all the same. @throws DomainError USER_EMAIL_ALREADY_EXISTS */
export async function refuseTakenEmail(deps: WriteDeps, projectId: string, email: string): Promise<void> {
  const found = await findSignInUser(deps, projectId, email);
  if (found === null || found.isFree) return;
  const { code, details } = emailTaken(email);
  refuse(code, details);
}

/** Makes a credential the holder's alone. @throws DomainError PASSKEY_REGISTRATION_FAILED when somebody else has it */
export async function takePasskey(
  deps: WriteDeps,
  work: Work,
  { credentialId, ...claim }: PasskeyClaim,
): Promise<void> {
  const stream = passkeyClaim(deps, claim.projectId, credentialId);
  const refusal = {
    code: 'PASSKEY_REGISTRATION_FAILED',
    details: { message: 'The passkey belongs to another user.' },
  } as const;
  const loaded = await work.load(claimDecider, stream);
  await take(deps, loaded, { kind: 'passkey', hasIt: hasPasskey(credentialId), refusal, ...claim });
}

/** Keyed hash of an account at a provider: finds the account again and tells nobody which it is. */
export function accountRefOf(
  { lookupHash }: Pick<WriteDeps, 'lookupHash'>,
  projectId: string,
  { provider, accountId }: { provider: string; accountId: string },
): string {
  return lookupHash('oauth', projectId, JSON.stringify([provider, accountId]));
}

/** Makes an account at a provider the holder's alone. @throws DomainError OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER */
export async function takeOAuthAccount(
  deps: WriteDeps,
  work: Work,
  { accountRef, ...claim }: Holding & { accountRef: string },
): Promise<void> {
  const stream = streamOf.claim('oauth', accountRef);
  const refusal = { code: 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER', details: {} } as const;
  const loaded = await work.load(claimDecider, stream);
  await take(deps, loaded, { kind: 'oauth', hasIt: hasOAuthAccount(accountRef), refusal, ...claim });
}

/** Nothing happens when the claim is not the holder's. */
export async function releaseOAuthAccount(
  work: Work,
  { accountRef, ...claim }: Holding & { accountRef: string },
): Promise<void> {
  await release(work, streamOf.claim('oauth', accountRef), claim);
}

export async function findOAuthUser(deps: Pick<WriteDeps, 'store'>, accountRef: string): Promise<FoundUser | null> {
  return findHolder(deps, streamOf.claim('oauth', accountRef), hasOAuthAccount(accountRef));
}

/** Nothing happens when the claim is not the holder's. */
export async function releasePasskey(
  deps: WriteDeps,
  work: Work,
  { credentialId, ...claim }: PasskeyClaim,
): Promise<void> {
  await release(work, passkeyClaim(deps, claim.projectId, credentialId), claim);
}

export async function findPasskeyUser(
  deps: Pick<WriteDeps, 'store' | 'lookupHash'>,
  projectId: string,
  credentialId: string,
): Promise<FoundUser | null> {
  return findHolder(deps, passkeyClaim(deps, projectId, credentialId), hasPasskey(credentialId));
}

type Taking = Holding & { kind: ClaimKind; hasIt: (user: UserState) => boolean; refusal: Refusal };

async function take(
  { store }: WriteDeps,
  loaded: Loaded<ClaimState, ClaimCommand>,
  { hasIt, ...claim }: Taking,
): Promise<void> {
  const present = loaded.state.status === 'taken' ? loaded.state.holderId : nobody;
  const { state } = await readState(store, userDecider, streamOf.user(present));
  const presentHolder = state.status === 'active' && !hasIt(state) ? 'absent' : state.status;
  loaded.decide({ type: 'TakeClaim', presentHolder, ...claim });
}

async function release(work: Work, stream: string, { holderId, at }: Holding): Promise<void> {
  (await work.load(claimDecider, stream)).decide({ type: 'ReleaseClaim', holderId, at });
}

async function findHolder(
  { store }: Pick<WriteDeps, 'store'>,
  stream: string,
  hasIt: (user: UserState) => boolean,
): Promise<FoundUser | null> {
  const claim = await readState(store, claimDecider, stream);
  const holderId = claim.state.status === 'taken' ? claim.state.holderId : nobody;
  const { state, revision } = await readState(store, userDecider, streamOf.user(holderId));
  return state.status === 'active' && hasIt(state) ? { user: state, revision } : null;
}

const hasPasskey = (credentialId: string) => (user: UserState) =>
  user.status === 'active' && user.passkey?.credentialId === credentialId;

const hasOAuthAccount = (accountRef: string) => (user: UserState) =>
  user.status === 'active' && user.oauthAccounts.some((account) => account.accountRef === accountRef);

export function emailTaken(email: string): Refusal {
  return { code: 'USER_EMAIL_ALREADY_EXISTS', details: { email } };
}

/** Keyed hash of an address: finds what was recorded about it and tells nobody which it is. */
export function addressRefOf({ lookupHash }: Pick<WriteDeps, 'lookupHash'>, projectId: string, email: string): string {
  return lookupHash('email', projectId, canonicalEmail(email));
}

/** An address of a user who is deleted: free if it was theirs alone; with `isErased`, invitations and mails to it are erased. */
export async function endAddress(
  work: Work,
  { addressRef, isErased, projectId, holderId, at }: Holding & { addressRef: string; isErased: boolean },
): Promise<void> {
  const claim = await work.load(claimDecider, streamOf.claim('email', addressRef));
  claim.decide({ type: 'ReleaseClaim', holderId, at });
  if (isErased) claim.decide({ type: 'EraseAddress', addressRef, projectId, at });
}

function emailClaim(deps: Pick<WriteDeps, 'lookupHash'>, projectId: string, email: string): string {
  return streamOf.claim('email', addressRefOf(deps, projectId, email));
}

function passkeyClaim({ lookupHash }: Pick<WriteDeps, 'lookupHash'>, projectId: string, credentialId: string): string {
  return streamOf.claim('passkey', lookupHash('passkey', projectId, credentialId));
}
