import { reject } from '@gatebook/domain/errors';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail } from '@gatebook/domain/user/email';
import { signInEmails } from '@gatebook/domain/user/sign-in-emails';
import { existingUser, type UserState } from '@gatebook/domain/user/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { execute, type LoadedAggregate, readState, transact, type UnitOfWork } from '../execute.ts';
import { addressRefOf, removeAddress } from '../reservation/email.ts';
import { releaseOAuthAccount } from '../reservation/oauth-account.ts';
import { releasePasskey } from '../reservation/passkey.ts';
import { streamOf } from '../streams.ts';
import { oauthAccountsOf, passkeyOf } from './decide-on-user.ts';
import { loadExistingUser, loadUser } from './load-user.ts';

type LoadedUser = LoadedAggregate<UserState, UserCommand>;
/** `graceDays`: for how many days the user can be restored (docs/decisions/0050); default: 0. */
type Deletion = { userId: string; graceDays?: number };

/** Schedules the deletion. Without a grace period, erases the user at once. @throws DomainError USER_NOT_FOUND */
export async function deleteUser(
  deps: WriteDeps,
  ctx: Context,
  { userId, graceDays = 0 }: Deletion,
): Promise<CommandResult> {
  if (graceDays === 0) return erase(deps, ctx, userId, (work) => loadUser(work, userId));
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const user = await loadUser(work, userId);
    user.decide({ type: 'ScheduleDeletion', graceDays, isByUser: ctx.actor.kind === 'user', at });
  });
  return { position };
}

/** Takes a scheduled deletion back. Does nothing to a user who is not deleted. @throws DomainError USER_NOT_FOUND */
export async function restoreUser(
  deps: WriteDeps,
  ctx: Context,
  { userId }: { userId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    (await loadExistingUser(work, userId)).decide({ type: 'RestoreUser', at });
  });
  return { position };
}

/** Erases a user at once, also one who awaits deletion. @throws DomainError USER_NOT_FOUND */
export const eraseUser = (deps: WriteDeps, ctx: Context, { userId }: { userId: string }): Promise<CommandResult> =>
  erase(deps, ctx, userId, (work) => loadExistingUser(work, userId));

/**
 * Erases a user whose grace period is over. Rejects a user who was restored meanwhile. @throws DomainError
 * USER_NOT_FOUND
 */
export const eraseDueUser = (deps: WriteDeps, ctx: Context, { userId }: { userId: string }): Promise<CommandResult> =>
  erase(deps, ctx, userId, async (work) => {
    const user = await loadExistingUser(work, userId);
    const isDue = user.state.status === 'awaiting_deletion' && user.state.deleteAt <= deps.now();
    return isDue ? user : reject('USER_NOT_FOUND');
  });

/**
 * Records the deletion, releases the emails, then destroys the keys of the user and of invitations and emails to their
 * addresses. If a crash comes in between, deleting again completes the erasure (and is rejected); so does the worker.
 */
async function erase(
  deps: WriteDeps,
  ctx: Context,
  userId: string,
  load: (work: UnitOfWork) => Promise<LoadedUser>,
): Promise<CommandResult> {
  const at = deps.now();
  await completeEarlierErasure(deps, ctx, userId);
  const { position, result } = await transact(deps, ctx, async (work) => {
    const user = await load(work);
    const refsOf = (emails: Iterable<string>) =>
      [...new Set(emails)].map((email) => addressRefOf(deps, ctx.projectId, email));
    const addressRefs = refsOf(addressesToErase(ctx, user.state));
    const signInRefs = refsOf(signInEmails(user.state).keys());
    const credentialId = passkeyOf(user.state);
    const accounts = oauthAccountsOf(user.state);
    user.decide({ type: 'DeleteUser', addressRefs, at });
    const reservation = { holderId: userId, at };
    // Release addresses only after the user is deleted: earlier, two users could sign in with one address.
    for (const addressRef of new Set([...signInRefs, ...addressRefs])) {
      await removeAddress(work, { addressRef, isErased: addressRefs.includes(addressRef), ...reservation });
    }
    if (credentialId !== null) await releasePasskey(work, { credentialId, ...reservation });
    for (const accountRef of accounts) await releaseOAuthAccount(work, { accountRef, ...reservation });
    return addressRefs;
  });
  await eraseKeys(deps, userId, result);
  return { position };
}

/** Destroys the key of a user whose deletion was cut off before that. */
export async function completeEarlierErasure(deps: WriteDeps, ctx: Context, userId: string): Promise<void> {
  const { state } = await readState(deps.store, userDecider, streamOf.user(userId));
  if (state.status === 'deleted' && state.projectId === ctx.projectId) await deps.eraseSubject(userId);
}

/**
 * Canonical addresses to erase. Users who delete themselves erase only their verified addresses: an unverified one may
 * belong to a stranger, whose invitations would be lost (docs/decisions/0028).
 */
function addressesToErase({ actor }: Context, state: UserState): string[] {
  const isByUser = state.status === 'awaiting_deletion' ? state.isByUser : actor.kind === 'user';
  const channels = existingUser(state)?.channels ?? [];
  return channels.flatMap(({ value, isVerified }) =>
    value !== null && (isVerified || !isByUser) ? [canonicalEmail(value)] : [],
  );
}

/**
 * Completes the erasure of a deleted user and records that. When repeated, for example after a backup restored the
 * keys, it does not erase what was sent to the addresses later.
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
  createdBefore?: string,
): Promise<void> {
  await Promise.all([
    eraseSubject(userId),
    ...addressRefs.map((addressRef) => eraseAddress(addressRef, createdBefore)),
  ]);
}
