import type { Impersonator } from '../event.ts';
import type { SignInMethod } from '../user/events.ts';

/** Maximum duration of an impersonation session. */
export const longestImpersonationMs = 3_600_000;

/** Where a project requires reauthentication, the maximum age of a sign-in for sensitive changes. */
export const recentSignInMs = 10 * 60_000;

type Started<Time> = { method: SignInMethod; impersonator: Impersonator | null; startedAt: Time };

/**
 * When the user of a session authenticated; null for a session derived from another one (a CLI login approved in a
 * browser) or started by an impersonator: nobody presented a credential of the user for it.
 */
export function authenticatedAt<Time>({ method, impersonator, startedAt }: Started<Time>): Time | null {
  return method === 'cli' || impersonator !== null ? null : startedAt;
}
