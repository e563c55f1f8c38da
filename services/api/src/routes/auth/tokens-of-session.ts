import type { SignedIn } from '@gatebook/commands/sign-in/sign-in';
import type { SignInView, TokensView } from '@gatebook/contract/auth';
import { findRestriction, restrictionFacts } from '@gatebook/domain/user/restriction';
import { type ActiveUser, primaryChannel } from '@gatebook/domain/user/state';
import { knownDevice } from '@gatebook/readmodel/sessions/device';
import type { SessionFacts } from '@gatebook/readmodel/sessions/queries';
import { findOwnUser } from '@gatebook/readmodel/users/queries';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { Written } from '../../http/define-route.ts';
import type { TokenFacts } from '../../tokens.ts';
import { endSurplusSessions } from '../sessions/surplus-sessions.ts';

/** `impersonation` and `endsAt` are set if a server started the session. */
type Started = SignedIn & { position: bigint | null } & Partial<Pick<SessionFacts, 'impersonation' | 'endsAt'>>;

type Issued = { token: string; expiresIn: number };

/** The response to a sign-in by password. */
export function answerTokens(deps: Deps, request: FastifyRequest, started: Started): Written<TokensView> {
  return answerSession(deps, request, started, ({ token }) => tokensView(started, token));
}

/** The response to every other sign-in. */
export function answerSignIn(deps: Deps, request: FastifyRequest, started: Started): Written<SignInView> {
  return answerSession(deps, request, started, ({ token }) => ({
    ...tokensView(started, token),
    is_new_user: started.isNewUser,
  }));
}

const tokensView = ({ refreshToken, userId }: Started, token: string): TokensView => ({
  access_token: token,
  refresh_token: refreshToken,
  user_id: userId,
});

/** The response to the start of a session. It also ends sessions beyond the quota. */
export function answerSession<T>(
  deps: Deps,
  request: FastifyRequest,
  started: Started,
  toBody: (issued: Issued) => T,
): Written<T> {
  return {
    position: started.position,
    followUp: () => endSurplusSessions(deps, request.id, started.user),
    body: async () => toBody(await issueToken(deps, request, started, await selectedTeamOf(deps, started.user))),
    stale: async () => toBody(await issueToken(deps, request, started, null)),
  };
}

/** The selected team, if the user is still a member of it. */
async function selectedTeamOf(deps: Deps, { projectId, userId, selectedTeamId }: ActiveUser): Promise<string | null> {
  if (selectedTeamId === null) return null;
  const { selectedTeam } = await findOwnUser(deps.db, projectId, userId);
  return selectedTeam?.id ?? null;
}

/** The first access token of a session. Everything in it was just decided, except for the selected team. */
async function issueToken(
  deps: Deps,
  request: FastifyRequest,
  started: Started,
  selectedTeamId: string | null,
): Promise<Issued> {
  const { sessionId: id, impersonation = null, endsAt = null } = started;
  const session = { id, impersonation, endsAt, authenticatedAt: impersonation ? null : Date.parse(deps.now()) };
  const facts = {
    ...factsOf(started.user),
    ...(await projectFactsOf(deps, started.user)),
    session,
    selectedTeamId,
  };
  const issued = await deps.tokens.issue(facts);
  recordActivity(deps, request, facts);
  return issued;
}

type ProjectFacts = Pick<TokenFacts, 'restriction' | 'lifeSeconds'>;

/** What the settings of the project say. */
async function projectFactsOf({ projects }: Deps, user: ActiveUser): Promise<ProjectFacts> {
  const access = await projects.find(user.projectId);
  if (!access) return { restriction: null, lifeSeconds: null };
  const { settings } = access.project;
  return {
    restriction: findRestriction(restrictionFacts(user), settings),
    lifeSeconds: settings.accessTokenLifetimeSeconds,
  };
}

function factsOf(user: ActiveUser): Omit<TokenFacts, 'session' | 'selectedTeamId' | keyof ProjectFacts> {
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

/** Counts a sign-in or refresh as activity of the session. Written asynchronously. */
export function recordActivity(
  { activity, now }: Deps,
  request: FastifyRequest,
  { projectId, userId, session }: TokenFacts,
): void {
  const { ip, country, userAgent } = request.endUser;
  const device = knownDevice(userAgent);
  // The browser of an impersonator does not say what the user reads.
  const language = session.impersonation ? null : request.language;
  activity.record({ projectId, userId, sessionId: session.id, at: now(), ip, country, device, language });
}
