import { reject } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import type { SignInMethod } from '@gatebook/domain/user/events';
import { rejectAdminRestriction } from '@gatebook/domain/user/restriction';
import type { ActiveUser, UserState } from '@gatebook/domain/user/state';
import { addCode, codeIdOf, generateCode } from '../code/code.ts';
import type { Context, WriteDeps } from '../deps.ts';
import type { UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { reserveEmail } from '../reservation/email.ts';
import type { FoundUser } from '../reservation/reservation.ts';
import { type GeneratedSession, generateSession, startSession } from '../session/session.ts';
import { streamOf } from '../streams.ts';
import { addUser, emptyProfile } from '../user/new-user.ts';

/** Time between the two factors (protocol, auth §2). */
const attemptLifeMs = 5 * 60_000;

/** A user whose first factor was accepted. */
type FirstFactor = {
  user: ActiveUser;
  /**
   * Revision of the user's stream when the first factor was checked: whatever ends sessions later ends this one too.
   */
  userRevision: bigint;
  isNewUser: boolean;
  method: SignInMethod;
  /** The OAuth provider, with method `oauth`. */
  provider?: string;
};
/** `user`: the state that the sign-in was decided on. */
export type SignedIn = { userId: string; user: ActiveUser; isNewUser: boolean } & GeneratedSession;
/** Either a session or the code with which the second factor continues. */
export type SignInOutcome = ({ outcome: 'signed_in' } & SignedIn) | { outcome: 'second_factor'; attemptCode: string };
export type SignIn = ReturnType<typeof prepareSignIn>;

/** Generates everything that a sign-in needs outside its unit of work, which may run several times. */
export function prepareSignIn(deps: WriteDeps, ctx: Context, at: string) {
  const session = generateSession(deps);
  const attemptCode = deps.randomCode();
  const { sessionId } = session;
  return {
    /** The session that `finish` starts, and the code of the second factor with which it may start later. */
    granted: { sessionId, attemptId: codeIdOf(deps, ctx, 'mfa_attempt', attemptCode) },
    /**
     * Starts the session, or requests the second factor if the user has one.
     * @throws DomainError RESTRICTED_USER_NOT_ALLOWED
     */
    finish: (work: UnitOfWork, { user, userRevision, isNewUser, method, ...first }: FirstFactor): SignInOutcome => {
      const { userId } = user;
      const { provider = null } = first;
      rejectAdminRestriction(user);
      if (user.totp === null) {
        startSession(work, session, { user, userRevision, method, provider, at });
        return { outcome: 'signed_in', userId, user, isNewUser, ...session };
      }
      const payload = { userId, userRevision: Number(userRevision), isNewUser, method, provider, sessionId };
      const attempt = { purpose: 'mfa_attempt', code: attemptCode, lifeMs: attemptLifeMs, payload } as const;
      addCode(work, generateCode(deps, ctx, attempt, at));
      return { outcome: 'second_factor', attemptCode };
    },
  };
}

/** Call this only after the outcome was appended. @throws DomainError MULTI_FACTOR_AUTHENTICATION_REQUIRED */
export function requireSession(outcome: SignInOutcome): SignedIn {
  if (outcome.outcome === 'second_factor') {
    return reject('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: outcome.attemptCode });
  }
  const { outcome: _, ...started } = outcome;
  return started;
}

type Registration = {
  project: ProjectFacts;
  /** ID of the new user, if one is created. */
  userId: string;
  channelId: string;
  /** The anonymous user who signs up and keeps that ID (protocol, auth §6). */
  anonymousUserId: string | null;
  email: string;
  isEmailVerified: boolean;
  displayName: string | null;
  passwordHash: string | null;
  isOtpEnabled: boolean;
  method: SignInMethod;
  at: string;
};

/**
 * Signs up a user with an address: first the reservation, then the user, so that every prefix is harmless. A verified
 * address is taken over from a user who has it unverified.
 * @returns the new or upgraded user @throws DomainError USER_EMAIL_ALREADY_EXISTS
 */
export async function registerUser(work: UnitOfWork, registration: Registration): Promise<FoundUser> {
  const { userId, channelId, anonymousUserId, email, isEmailVerified, displayName, method, at } = registration;
  const { passwordHash, isOtpEnabled } = registration;
  const { projectId } = work.ctx;
  const reservation = { email, isVerified: isEmailVerified, at };
  const anonymous = anonymousUserId === null ? null : await work.load(userDecider, streamOf.user(anonymousUserId));
  if (anonymous && isAnonymousOf(projectId, anonymous.state)) {
    await reserveEmail(work, { ...reservation, holderId: anonymous.state.userId });
    const channel = { channelId, value: email, isVerified: isEmailVerified };
    anonymous.decide({ type: 'UpgradeUser', method, email: channel, passwordHash, isOtpEnabled, at });
    return { user: anonymous.state, revision: anonymous.revision };
  }
  await reserveEmail(work, { ...reservation, holderId: userId });
  const user = addUser(work, registration.project, {
    ...emptyProfile,
    userId,
    displayName,
    isAnonymous: false,
    method,
    email: { channelId, value: email, isVerified: isEmailVerified, usedForAuth: true },
    passwordHash,
    isOtpEnabled,
    at,
  });
  return { user: user.state as ActiveUser, revision: user.revision };
}

const isAnonymousOf = (projectId: string, user: UserState): user is ActiveUser =>
  user.status === 'active' && user.projectId === projectId && user.isAnonymous;
