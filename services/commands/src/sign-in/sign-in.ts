import { reject } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import type { SignInMethod } from '@gatebook/domain/user/events';
import type { ActiveUser, UserState } from '@gatebook/domain/user/state';
import { addCode, codeIdOf, generateCode } from '../code/code.ts';
import type { Context, WriteDeps } from '../deps.ts';
import type { UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { type FoundUser, reserveEmail } from '../reservation/reservation.ts';
import { type GeneratedSession, generateSession, startSession } from '../session/session.ts';
import { streamOf } from '../streams.ts';
import { addUser, emptyProfile } from '../user/new-user.ts';

/** Between the two factors (protocol, auth §2). */
const attemptLifeMs = 5 * 60_000;

/** What the log has to say of somebody whose first factor is done. */
type FirstFactor = {
  user: ActiveUser;
  /** Of the user's stream when the first factor was judged: what ends sessions later ends this one too. */
  userRevision: bigint;
  isNewUser: boolean;
  method: SignInMethod;
};
/** `user` as this sign-in saw them. */
export type SignedIn = { userId: string; user: ActiveUser; isNewUser: boolean } & GeneratedSession;
/** Either a session, or the code under which the second factor goes on. */
export type SignInOutcome = ({ outcome: 'signed_in' } & SignedIn) | { outcome: 'second_factor'; attemptCode: string };
export type SignIn = ReturnType<typeof prepareSignIn>;

/** A sign-in with all that has to be made before its plan, which may run several times. */
export function prepareSignIn(deps: WriteDeps, ctx: Context, at: string) {
  const session = generateSession(deps);
  const attemptCode = deps.randomCode();
  const { sessionId } = session;
  return {
    /** What `finish` leads to: the session, and the code of the second factor under which it may start later. */
    granted: { sessionId, attemptId: codeIdOf(deps, ctx, 'mfa_attempt', attemptCode) },
    /** Starts the session, or asks for the second factor of whoever has one. */
    finish: (work: UnitOfWork, { user, userRevision, isNewUser, method }: FirstFactor): SignInOutcome => {
      const { userId } = user;
      if (user.totp === null) {
        startSession(work, session, { userId, userRevision, method, at });
        return { outcome: 'signed_in', userId, user, isNewUser, ...session };
      }
      const payload = { userId, userRevision: Number(userRevision), isNewUser, method, sessionId };
      const attempt = { purpose: 'mfa_attempt', code: attemptCode, lifeMs: attemptLifeMs, payload } as const;
      addCode(work, generateCode(deps, ctx, attempt, at));
      return { outcome: 'second_factor', attemptCode };
    },
  };
}

/** @throws DomainError MULTI_FACTOR_AUTHENTICATION_REQUIRED, once everything before it is recorded */
export function requireSession(outcome: SignInOutcome): SignedIn {
  if (outcome.outcome === 'second_factor') {
    return reject('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: outcome.attemptCode });
  }
  const { outcome: _, ...started } = outcome;
  return started;
}

type Registration = {
  project: ProjectFacts;
  /** Of the user to be, unless the person is somebody already. */
  userId: string;
  channelId: string;
  /** Signed in anonymously: keeps that id (protocol, auth §6). */
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
 * Somebody signs up with an address: reservation first, then user, so that each prefix is harmless. A verified address is taken from
 * whoever has it unverified.
 * @returns the user from now on. @throws DomainError USER_EMAIL_ALREADY_EXISTS
 */
export async function registerUser(work: UnitOfWork, joining: Registration): Promise<FoundUser> {
  const { userId, channelId, anonymousUserId, email, isEmailVerified, displayName, method, at } = joining;
  const { passwordHash, isOtpEnabled } = joining;
  const { projectId } = work.ctx;
  const reservation = { email, isProven: isEmailVerified, at };
  const anonymous = anonymousUserId === null ? null : await work.load(userDecider, streamOf.user(anonymousUserId));
  if (anonymous && isAnonymousOf(projectId, anonymous.state)) {
    await reserveEmail(work, { ...reservation, holderId: anonymous.state.userId });
    const channel = { channelId, value: email, isVerified: isEmailVerified };
    anonymous.decide({ type: 'UpgradeUser', method, email: channel, passwordHash, isOtpEnabled, at });
    return { user: anonymous.state, revision: anonymous.revision };
  }
  await reserveEmail(work, { ...reservation, holderId: userId });
  const user = addUser(work, joining.project, {
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
