import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import { type ActiveUser, existingUser, hasEndedWithOthers, type UserState } from '@gatebook/domain/user/state';
import type { Context, WriteDeps } from '../deps.ts';
import { type LoadedAggregate, readState, type UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';

/**
 * Loads a user of the project. Checks the session in the user's own stream, at the revision that is written to: a
 * request in progress when the sessions end writes nothing.
 * @throws DomainError `rejection`, also for a user of another project; ACCESS_TOKEN_EXPIRED
 */
export async function loadUser(
  work: UnitOfWork,
  userId: string,
  rejection: DomainErrorCode = 'USER_NOT_FOUND',
): Promise<LoadedAggregate<UserState, UserCommand>> {
  const user = await work.load(userDecider, streamOf.user(userId));
  const state = requireUser(user.state, work.ctx, userId, rejection);
  const { session } = work.ctx;
  if (session?.userId === userId && hasEndedWithOthers(state, session)) {
    reject('ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
  }
  return user;
}

/** Loads a user who may await deletion. @throws DomainError USER_NOT_FOUND, also for a user of another project */
export async function loadExistingUser(
  work: UnitOfWork,
  userId: string,
): Promise<LoadedAggregate<UserState, UserCommand>> {
  const user = await work.load(userDecider, streamOf.user(userId));
  return existingUser(user.state)?.projectId === work.ctx.projectId ? user : reject('USER_NOT_FOUND');
}

/** Reads a user without writing. @throws DomainError `rejection`, also for a user of another project */
export async function findUser(
  deps: WriteDeps,
  ctx: Context,
  userId: string,
  rejection: DomainErrorCode = 'USER_NOT_FOUND',
): Promise<ActiveUser> {
  const { state } = await readState(deps.store, userDecider, streamOf.user(userId));
  return requireUser(state, ctx, userId, rejection);
}

export async function isUserActive({ store }: Pick<WriteDeps, 'store'>, userId: string): Promise<boolean> {
  return (await readState(store, userDecider, streamOf.user(userId))).state.status === 'active';
}

function requireUser(state: UserState, { projectId }: Context, userId: string, rejection: DomainErrorCode): ActiveUser {
  if (state.status === 'active' && state.projectId === projectId) return state;
  return reject(rejection, rejection === 'USER_ID_DOES_NOT_EXIST' ? { user_id: userId } : {});
}
