import { claimDecider } from '@gatebook/domain/claim/decide';
import { type RefusalCode, refuse } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail } from '@gatebook/domain/user/email';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import type { ActiveUser, UserState } from '@gatebook/domain/user/state';
import type { WriteDeps } from './deps.ts';
import { readState, type Work } from './execute.ts';
import { streamOf } from './streams.ts';

type EmailClaim = { email: string; projectId: string; holderId: string; at: string };
type Refusal = { code: RefusalCode; details: Readonly<Record<string, unknown>> };

/** Stands in for the user of an unknown address, so that finding nobody costs the same reads. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** Makes `email` the holder's alone, for signing in. @throws DomainError USER_EMAIL_ALREADY_EXISTS when somebody else has it */
export async function takeEmail(deps: WriteDeps, work: Work, { email, ...claim }: EmailClaim): Promise<void> {
  const loaded = await work.load(claimDecider, claimStream(deps, claim.projectId, email));
  const present = loaded.state.status === 'taken' ? loaded.state.holderId : nobody;
  const { state } = await readState(deps.store, userDecider, streamOf.user(present));
  const presentHolder = presenceOf(state, email);
  loaded.decide({ type: 'TakeClaim', kind: 'email', presentHolder, refusal: emailTaken(email), ...claim });
}

/** Nothing happens when the claim is not the holder's. */
export async function releaseEmail(deps: WriteDeps, work: Work, claim: EmailClaim): Promise<void> {
  const { email, projectId, holderId, at } = claim;
  const loaded = await work.load(claimDecider, claimStream(deps, projectId, email));
  loaded.decide({ type: 'ReleaseClaim', holderId, at });
}

/** Who signs in with `email`: the claim leads to the user, and the user's own stream has the last word. */
export async function findSignInUser(
  deps: WriteDeps,
  projectId: string,
  email: string,
): Promise<{ user: ActiveUser; revision: bigint } | null> {
  const claim = await readState(deps.store, claimDecider, claimStream(deps, projectId, email));
  const holderId = claim.state.status === 'taken' ? claim.state.holderId : nobody;
  const { state, revision } = await readState(deps.store, userDecider, streamOf.user(holderId));
  return state.status === 'active' && signsInWith(state, email) ? { user: state, revision } : null;
}

/** Tells of a conflict before a password is hashed; the claim decides all the same. @throws DomainError USER_EMAIL_ALREADY_EXISTS */
export async function refuseTakenEmail(deps: WriteDeps, projectId: string, email: string): Promise<void> {
  if ((await findSignInUser(deps, projectId, email)) === null) return;
  const { code, details } = emailTaken(email);
  refuse(code, details);
}

function emailTaken(email: string): Refusal {
  return { code: 'USER_EMAIL_ALREADY_EXISTS', details: { email } };
}

function presenceOf(state: UserState, email: string): 'absent' | 'active' | 'deleted' {
  return state.status === 'active' && !signsInWith(state, email) ? 'absent' : state.status;
}

function claimStream({ lookupHash }: Pick<WriteDeps, 'lookupHash'>, projectId: string, email: string): string {
  return streamOf.claim('email', lookupHash('email', projectId, canonicalEmail(email)));
}
