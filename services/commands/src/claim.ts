import { claimDecider } from '@gatebook/domain/claim/decide';
import type { ClaimKind } from '@gatebook/domain/claim/events';
import { type RefusalCode, refuse } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail, isSameEmail } from '@gatebook/domain/user/email';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import type { ActiveUser, UserState } from '@gatebook/domain/user/state';
import type { WriteDeps } from './deps.ts';
import { readState, type Work } from './execute.ts';
import { streamOf } from './streams.ts';

type Holding = { projectId: string; holderId: string; at: string };
type EmailClaim = Holding & { email: string };
type PasskeyClaim = Holding & { credentialId: string };
export type FoundUser = { user: ActiveUser; revision: bigint };
/** `address` is the user's own, as on file. */
export type SignInUser = FoundUser & { address: string; isVerified: boolean };
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
  { email, ...claim }: EmailClaim,
  refusal: Refusal = emailTaken(email),
): Promise<void> {
  const stream = emailClaim(deps, claim.projectId, email);
  const hasIt = (user: UserState) => signsInWith(user, email);
  await take(deps, work, { stream, kind: 'email', hasIt, refusal, ...claim });
}

/** Nothing happens when the claim is not the holder's. */
export async function releaseEmail(deps: WriteDeps, work: Work, { email, ...claim }: EmailClaim): Promise<void> {
  await release(work, emailClaim(deps, claim.projectId, email), claim);
}

/** Who signs in with `email`: the claim leads to the user, and the user's own stream has the last word. */
export async function findSignInUser(
  deps: Pick<WriteDeps, 'store' | 'lookupHash'>,
  projectId: string,
  email: string,
): Promise<SignInUser | null> {
  const found = await findHolder(deps, emailClaim(deps, projectId, email), (user) => signsInWith(user, email));
  const channel = found?.user.channels.find(({ value, usedForAuth }) => usedForAuth && isSameEmail(value, email));
  return found && channel ? { ...found, address: channel.value ?? email, isVerified: channel.isVerified } : null;
}

/** Tells of a conflict before a password is hashed; the claim decides all the same. @throws DomainError USER_EMAIL_ALREADY_EXISTS */
export async function refuseTakenEmail(deps: WriteDeps, projectId: string, email: string): Promise<void> {
  if ((await findSignInUser(deps, projectId, email)) === null) return;
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
  await take(deps, work, { stream, kind: 'passkey', hasIt: hasPasskey(credentialId), refusal, ...claim });
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
  await take(deps, work, { stream, kind: 'oauth', hasIt: hasOAuthAccount(accountRef), refusal, ...claim });
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

type Taking = Holding & { stream: string; kind: ClaimKind; hasIt: (user: UserState) => boolean; refusal: Refusal };

async function take({ store }: WriteDeps, work: Work, { stream, hasIt, ...claim }: Taking): Promise<void> {
  const loaded = await work.load(claimDecider, stream);
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
