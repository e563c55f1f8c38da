import type { Impersonator } from '../event.ts';
import type { SignInMethod } from '../user/events.ts';

/** A session may act for somebody at most this long. */
export const longestImpersonationMs = 3_600_000;

/** Where a project asks for it, sensitive changes need a sign-in that is no older. */
export const recentSignInMs = 10 * 60_000;

type Started<Time> = { method: SignInMethod; impersonator: Impersonator | null; startedAt: Time };

/**
 * When the user of a session signed in; null for a session that was derived from another one (a command line that was approved
 * in a browser) or started by somebody acting for the user: whoever holds it has shown no credential of the user.
 */
export function authenticatedAt<Time>({ method, impersonator, startedAt }: Started<Time>): Time | null {
  return method === 'cli' || impersonator !== null ? null : startedAt;
}
