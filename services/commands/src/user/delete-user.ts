import { userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail } from '@gatebook/domain/user/email';
import { signInEmails } from '@gatebook/domain/user/sign-in-emails';
import type { UserState } from '@gatebook/domain/user/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { execute, readState, transact } from '../execute.ts';
import { addressRefOf, endAddress, releaseOAuthAccount, releasePasskey } from '../reservation/reservation.ts';
import { streamOf } from '../streams.ts';
import { oauthAccountsOf, passkeyOf } from './decide-on-user.ts';
import { loadUser } from './load-user.ts';
/**
 * Records the deletion, frees the e-mails, then destroys the key under which the user's facts are encrypted, and those of invitations and
 * mails to the user's addresses. Should a crash come in between, deleting again completes the first (and is rejected), and the worker
 * completes all. @throws DomainError USER_NOT_FOUND
 */
export async function deleteUser(
  deps: WriteDeps,
  ctx: Context,
  { userId }: { userId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const before = await readState(deps.store, userDecider, streamOf.user(userId));
  if (before.state.status === 'deleted' && before.state.projectId === ctx.projectId) await deps.eraseSubject(userId);
  const { position, result } = await transact(deps, ctx, async (work) => {
    const user = await loadUser(work, userId);
    const refsOf = (emails: Iterable<string>) =>
      [...new Set(emails)].map((email) => addressRefOf(deps, ctx.projectId, email));
    const addressRefs = refsOf(addressesToErase(ctx, user.state));
    const signInRefs = refsOf(signInEmails(user.state).keys());
    const credentialId = passkeyOf(user.state);
    const accounts = oauthAccountsOf(user.state);
    user.decide({ type: 'DeleteUser', addressRefs, at });
    const reservation = { holderId: userId, at };
    // Only after the user: an address freed before its user is gone would let two sign in with it.
    for (const addressRef of new Set([...signInRefs, ...addressRefs])) {
      await endAddress(work, { addressRef, isErased: addressRefs.includes(addressRef), ...reservation });
    }
    if (credentialId !== null) await releasePasskey(work, { credentialId, ...reservation });
    for (const accountRef of accounts) await releaseOAuthAccount(work, { accountRef, ...reservation });
    return addressRefs;
  });
  await eraseKeys(deps, userId, result);
  return { position };
}

/**
 * In their canonical form. With users who delete themselves go only the addresses that they have verified: others may be a stranger's, whose
 * invitations they could end (docs/decisions/0028).
 */
function addressesToErase({ actor }: Context, user: UserState): string[] {
  const channels = user.status === 'active' ? user.channels : [];
  return channels.flatMap(({ value, isVerified }) =>
    value !== null && (isVerified || actor.kind !== 'user') ? [canonicalEmail(value)] : [],
  );
}

/**
 * Completes the erasure of a deleted user, and records that. CommandResult again, as after keys came back with a backup, it leaves alone what was
 * sent to the addresses since.
 */
export async function completeErasure(
  deps: WriteDeps,
  ctx: Context,
  { userId, addressRefs }: { userId: string; addressRefs: readonly string[] },
): Promise<CommandResult> {
  const at = deps.now();
  const { state } = await readState(deps.store, userDecider, streamOf.user(userId));
  if (state.status !== 'deleted') return { position: null };
  await eraseKeys(deps, userId, addressRefs, state.erasedAt ?? undefined);
  return execute(deps, ctx, userDecider, streamOf.user(userId), { type: 'RecordErasure', at });
}

async function eraseKeys(
  { eraseSubject, eraseAddress }: WriteDeps,
  userId: string,
  addressRefs: readonly string[],
  madeBefore?: string,
): Promise<void> {
  await Promise.all([eraseSubject(userId), ...addressRefs.map((addressRef) => eraseAddress(addressRef, madeBefore))]);
}
