import { claimsOf, type Session, type SessionTokens } from './session.ts';

/** Who somebody else acts for. */
export type Impersonation = { name: string; endsAt: Date };

/** Null for the user's own session, and without one. The token is not verified. */
export async function findImpersonation(session: Pick<Session, 'tokens'>): Promise<Impersonation | null> {
  return impersonationOf(await session.tokens());
}

function impersonationOf(tokens: SessionTokens | null): Impersonation | null {
  const claims = tokens && claimsOf(tokens.accessToken);
  if (claims?.is_impersonation !== true) return null;
  const { name, email, sub, impersonation_ends_at: endsAt } = claims;
  return { name: String(name ?? email ?? sub), endsAt: new Date(Number(endsAt) * 1_000) };
}

/**
 * Acts for a user with the session of this refresh token, in place of the current session, which stays if it fails.
 * @throws Error for a session that has ended, or is none of an impersonator
 */
export async function startImpersonation(session: Session, refreshToken: string): Promise<void> {
  const tokens = await session.tokensOf(refreshToken);
  // A link must not sign anybody in to an account that somebody else prepared.
  if (!tokens || !impersonationOf(tokens))
    throw new Error('This impersonation has ended. Start it again in the dashboard.');
  session.adopt(tokens);
}
