import { reject } from '@gatebook/domain/errors';
import type { Actor, Impersonator } from '@gatebook/domain/event';
import { sessionLifetime } from '@gatebook/domain/project/config';
import { longestImpersonationMs } from '@gatebook/domain/session/authentication';
import { type EndReason, sessionDecider } from '@gatebook/domain/session/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import type { SignInMethod } from '@gatebook/domain/user/events';
import { rejectAdminRestriction } from '@gatebook/domain/user/restriction';
import type { ActiveUser } from '@gatebook/domain/user/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact, type UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';

const hourMs = 3_600_000;
/** Default lifetime of a session: 365 days (protocol, conventions §5). */
export const defaultSessionMs = sessionLifetime.standard * hourMs;

const sessionMsOf = ({ sessionLifetimeHours = sessionLifetime.standard }: Context) => sessionLifetimeHours * hourMs;

export type GeneratedSession = { sessionId: string; refreshToken: string };

type SessionFacts = {
  user: ActiveUser;
  /** Revision of the user's stream that this sign-in was decided on. */
  userRevision: bigint;
  method: SignInMethod;
  /** The OAuth provider, with method `oauth`. */
  provider?: string | null;
  secondFactor?: 'totp' | null;
  at: string;
  lifeMs?: number;
  impersonator?: Impersonator | null;
  impersonationReason?: string | null;
};

/**
 * Generates the ID and the refresh token of a session, outside the unit of work that records it, which may run several
 * times.
 */
export function generateSession({ newId, randomCode }: Pick<WriteDeps, 'newId' | 'randomCode'>): GeneratedSession {
  return { sessionId: newId(), refreshToken: randomCode() };
}

/** @throws DomainError RESTRICTED_USER_NOT_ALLOWED */
export function startSession(work: UnitOfWork, session: GeneratedSession, facts: SessionFacts): void {
  const { deps, ctx } = work;
  const { user, userRevision, method, at, lifeMs = sessionMsOf(ctx), impersonator = null } = facts;
  const { provider = null, secondFactor = null, impersonationReason = null } = facts;
  rejectAdminRestriction(user);
  const { userId } = user;
  work.create(sessionDecider, streamOf.session(session.sessionId)).decide({
    type: 'StartSession',
    sessionId: session.sessionId,
    userId,
    projectId: ctx.projectId,
    userRevision: Number(userRevision),
    refreshTokenHash: deps.sha256(session.refreshToken),
    expiresAt: new Date(Date.parse(at) + lifeMs).toISOString(),
    isImpersonation: impersonator !== null,
    impersonator,
    impersonationReason,
    method,
    provider,
    secondFactor,
    ...ctx.endUser,
    at,
  });
}

type ServerSession = GeneratedSession & {
  user: ActiveUser;
  /** Who acts for the user, and until when (milliseconds since 1970). */
  impersonation: { by: Impersonator; endsAt: number } | null;
  /** Milliseconds since 1970. */
  endsAt: number;
};

/**
 * Starts a session on behalf of a server. Limits it to the lifetime of sessions in the project, and an impersonation to
 * one hour, whatever was requested: clients that do not set a lifetime send the protocol's default of a year.
 * @throws DomainError USER_ID_DOES_NOT_EXIST, RESTRICTED_USER_NOT_ALLOWED
 */
export async function createSession(
  deps: WriteDeps,
  ctx: Context,
  input: { userId: string; lifeMs?: number; isImpersonation?: boolean; impersonationReason?: string | null },
): Promise<CommandResult<ServerSession>> {
  const session = generateSession(deps);
  const at = deps.now();
  const { userId, isImpersonation = false, lifeMs: requestedMs = defaultSessionMs } = input;
  const impersonationReason = (isImpersonation && input.impersonationReason) || null;
  const impersonator = isImpersonation ? impersonatorOf(ctx.actor) : null;
  const lifeMs = Math.min(requestedMs, longestSessionMs(ctx), impersonator ? longestImpersonationMs : Infinity);
  const { result, position } = await transact(deps, ctx, async (work) => {
    const user = await work.load(userDecider, streamOf.user(userId));
    if (user.state.status !== 'active' || user.state.projectId !== ctx.projectId) {
      return reject('USER_ID_DOES_NOT_EXIST', { user_id: userId });
    }
    const facts = {
      user: user.state,
      userRevision: user.revision,
      method: 'server',
      at,
      lifeMs,
      impersonator,
      impersonationReason,
    } as const;
    startSession(work, session, facts);
    return user.state;
  });
  const endsAt = Date.parse(at) + lifeMs;
  const impersonation = impersonator && { by: impersonator, endsAt };
  return { user: result, impersonation, endsAt, ...session, position };
}

/** The default of a year limits nothing: the protocol lets servers ask for two days more. */
function longestSessionMs(ctx: Context): number {
  const sessionMs = sessionMsOf(ctx);
  return sessionMs < defaultSessionMs ? sessionMs : Infinity;
}

/** Only servers and admins start sessions for others. */
function impersonatorOf({ kind, id }: Actor): Impersonator {
  if (kind === 'server' || kind === 'admin' || kind === 'owner') return { kind, id };
  throw new Error(`an actor of kind ${kind} can't act for a user`);
}

/**
 * Ends a session of the project. `userId` null: of any user.
 * @throws DomainError SESSION_NOT_FOUND when unknown, ended, or of another user or project
 */
export async function endSession(
  deps: WriteDeps,
  ctx: Context,
  { sessionId, userId, reason }: { sessionId: string; userId: string | null; reason: EndReason },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const session = await work.load(sessionDecider, streamOf.session(sessionId));
    const { state } = session;
    if (
      state.status === 'absent' ||
      state.projectId !== ctx.projectId ||
      (userId !== null && state.userId !== userId)
    ) {
      return reject('SESSION_NOT_FOUND');
    }
    session.decide({ type: 'EndSession', reason, at });
  });
  return { position };
}
