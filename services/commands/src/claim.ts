import { claimDecider } from '@gatebook/domain/claim/decide';
import type { RefusalCode } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail } from '@gatebook/domain/user/email';
import type { WriteDeps } from './deps.ts';
import { readState, type Work } from './execute.ts';
import { streamOf } from './streams.ts';

type EmailClaim = {
  email: string;
  projectId: string;
  holderId: string;
  refusal: { code: RefusalCode; details: Readonly<Record<string, unknown>> };
  at: string;
};

/** The stream that holds who signs in with `email` in a project. */
export function emailClaimStream(
  { lookupHash }: Pick<WriteDeps, 'lookupHash'>,
  projectId: string,
  email: string,
): string {
  return streamOf.claim('email', lookupHash('email', projectId, canonicalEmail(email)));
}

/** Makes `email` the holder's alone, for signing in. @throws DomainError `refusal` when it is somebody else's */
export async function takeEmail(deps: WriteDeps, work: Work, { email, ...claim }: EmailClaim): Promise<void> {
  const loaded = await work.load(claimDecider, emailClaimStream(deps, claim.projectId, email));
  const present = loaded.state.status === 'taken' ? loaded.state.holderId : null;
  const presentHolder = present
    ? (await readState(deps.store, userDecider, streamOf.user(present))).state.status
    : 'absent';
  loaded.decide({ type: 'TakeClaim', kind: 'email', presentHolder, ...claim });
}

export async function releaseEmail(
  deps: WriteDeps,
  work: Work,
  { email, projectId, holderId, at }: Omit<EmailClaim, 'refusal'>,
): Promise<void> {
  const loaded = await work.load(claimDecider, emailClaimStream(deps, projectId, email));
  loaded.decide({ type: 'ReleaseClaim', holderId, at });
}

/** The user who signs in with `email`, or null. The user's stream has the last word. */
export async function findEmailHolder(deps: WriteDeps, projectId: string, email: string): Promise<string | null> {
  const { state } = await readState(deps.store, claimDecider, emailClaimStream(deps, projectId, email));
  return state.status === 'taken' ? state.holderId : null;
}
