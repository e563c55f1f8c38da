import { DomainError, reject } from '@gatebook/domain/errors';
import { SignInMethod } from '@gatebook/domain/user/events';
import { presentCode, useCode } from '../code/code.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { generateSession, startSession } from '../session/session.ts';
import { findUser, loadUser } from '../user/load-user.ts';
import type { SignedIn } from './sign-in.ts';

/**
 * Continues after a first factor (protocol, auth §4). The session is based on the user as known at that time: if the
 * password has changed since, the session is never alive.
 * @throws DomainError the four errors of a code; VERIFICATION_CODE_NOT_FOUND also when the user or their second factor
 * no longer exists; INVALID_TOTP_CODE, after which the attempt can continue
 */
export async function signInWithTotp(
  deps: WriteDeps,
  ctx: Context,
  { attemptCode, totp }: { attemptCode: string; totp: string },
): Promise<CommandResult<SignedIn>> {
  const presented = await presentCode(deps, ctx, { code: attemptCode, purpose: 'mfa_attempt' });
  const { payload } = presented.issued;
  const userId = String(payload.userId);
  const isNewUser = payload.isNewUser === true;
  const { totp: secondFactor } = await findUser(deps, ctx, userId, 'VERIFICATION_CODE_NOT_FOUND');
  if (!secondFactor?.secret) return reject('VERIFICATION_CODE_NOT_FOUND');
  const at = deps.now();
  const step = deps.verifyTotp(secondFactor.secret, totp, at);
  // The first factor generated the ID, so that its code can end the session.
  const session = { ...generateSession(deps), sessionId: String(payload.sessionId) };
  const outcome = await transact(deps, ctx, async (work) => {
    const user = await loadUser(work, userId, 'VERIFICATION_CODE_NOT_FOUND');
    const present = user.state.status === 'active' ? user.state.totp?.secret : null;
    try {
      user.decide({ type: 'UseTotp', step: present === secondFactor.secret ? step : null, at });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'INVALID_TOTP_CODE') throw error;
      user.decide({ type: 'RejectTotp', at });
      return null;
    }
    await useCode(work, presented);
    const userRevision = BigInt(Number(payload.userRevision));
    if (user.state.status !== 'active') return reject('VERIFICATION_CODE_NOT_FOUND');
    const method = SignInMethod.parse(payload.method);
    const provider = typeof payload.provider === 'string' ? payload.provider : null;
    startSession(work, session, { user: user.state, userRevision, method, provider, secondFactor: 'totp', at });
    return user.state;
  });
  if (outcome.result === null) return reject('INVALID_TOTP_CODE', {}, userId);
  return { userId, user: outcome.result, isNewUser, ...session, position: outcome.position };
}
