import type { SignedIn } from '@gatebook/commands/sign-in/sign-in';
import type { SignInView, TokensView } from '@gatebook/contract/auth';
import { type ActiveUser, primaryChannel } from '@gatebook/domain/user/state';
import type { SessionFacts } from '@gatebook/readmodel/sessions/queries';
import { findOwnUser } from '@gatebook/readmodel/users/queries';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import type { TokenFacts } from '../../tokens.ts';
import { endSurplusSessions } from '../sessions/surplus-sessions.ts';

/** `impersonation` where a server started the session. */
type Started = SignedIn & { position: bigint | null; impersonation?: SessionFacts['impersonation'] };

/** What a sign-in by password answers. */
export async function answerTokens(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  started: Started,
): Promise<TokensView> {
  const { token } = await issueTokens(deps, request, reply, started);
  return { access_token: token, refresh_token: started.refreshToken, user_id: started.userId };
}

/**
 * The first access token of a session. All that it says was decided on, so nothing has to be read, but whether the user is still in
 * the team that they selected.
 */
export async function issueTokens(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  started: Started,
): Promise<{ token: string; expiresIn: number }> {
  const state = await waitFor(deps, reply, started.position);
  const { projectId, userId, selectedTeamId } = started.user;
  await endSurplusSessions(deps, reply, { projectId, userId });
  const { sessionId: id, impersonation = null } = started;
  const isSelected = selectedTeamId !== null && state === 'reached';
  const selectedTeam = isSelected ? (await findOwnUser(deps.db, projectId, userId)).selectedTeam : null;
  const session = { id, impersonation, authenticatedAt: impersonation ? null : Date.parse(deps.now()) };
  const facts = { ...factsOf(started.user), session, selectedTeamId: selectedTeam?.id ?? null };
  const issued = await deps.tokens.issue(facts);
  recordActivity(deps, request, facts);
  return issued;
}

/** What every other sign-in answers. */
export async function answerSignIn(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  started: Started,
): Promise<SignInView> {
  return { ...(await answerTokens(deps, request, reply, started)), is_new_user: started.isNewUser };
}

function factsOf(user: ActiveUser): Omit<TokenFacts, 'session' | 'selectedTeamId'> {
  const primary = primaryChannel(user);
  return {
    projectId: user.projectId,
    userId: user.userId,
    displayName: user.displayName,
    email: primary?.value ?? null,
    isEmailVerified: primary?.isVerified ?? false,
    isAnonymous: user.isAnonymous,
    requiresTotpMfa: user.totp !== null,
    signedUpAtMillis: Date.parse(user.signedUpAt),
  };
}

/** A sign-in or refresh is activity of its session; written down a moment later. */
export function recordActivity(
  { activity, now, countryOf }: Deps,
  { endUser: { ip, country } }: FastifyRequest,
  { projectId, userId, session }: TokenFacts,
): void {
  // A proxy knows best; without one, the table of the registries.
  const from = country ?? (ip === null ? null : countryOf(ip));
  activity.record({ projectId, userId, sessionId: session.id, at: now(), ip, country: from });
}
