import type { AuthenticatedUser, VerifierOptions } from './tokens.ts';
import { UnavailableError } from './unavailable.ts';

export type SessionCheckOptions = {
  /**
   * Asks Gatebook about each token once in this time, so that an ended session and a deleted user are noticed before
   * the token expires. 0: for each request. By default Gatebook is not asked.
   */
  sessionCheckSeconds?: number;
  /** Needed for session checks if the project rejects clients without a key. */
  publishableClientKey?: string;
};
type Options = VerifierOptions & SessionCheckOptions;

const maxRemembered = 10_000;

/** Whether the session of a verified token is active. Remembers positive responses for `sessionCheckSeconds`. */
export function findSession(options: Options): (user: AuthenticatedUser) => Promise<boolean> {
  const { sessionCheckSeconds } = options;
  if (sessionCheckSeconds === undefined) return async () => true;
  /** When each session has to be checked again, in milliseconds; oldest first. */
  const checkedUntil = new Map<string, number>();
  return async ({ accessToken }) => {
    const now = Date.now();
    if ((checkedUntil.get(accessToken) ?? 0) > now) return true;
    checkedUntil.delete(accessToken);
    if (!(await isActive(options, accessToken))) return false;
    for (const [oldest] of checkedUntil.size >= maxRemembered ? checkedUntil : []) {
      checkedUntil.delete(oldest);
      break;
    }
    checkedUntil.set(accessToken, now + sessionCheckSeconds * 1000);
    return true;
  };
}

async function isActive({ baseUrl, projectId, publishableClientKey }: Options, accessToken: string) {
  const response = await fetch(`${baseUrl.replace(/\/$/, '')}/api/v1/users/me`, {
    headers: {
      'x-stack-access-type': 'client',
      'x-stack-project-id': projectId,
      'x-stack-access-token': accessToken,
      ...(publishableClientKey !== undefined && { 'x-stack-publishable-client-key': publishableClientKey }),
    },
  }).catch((cause: unknown) => {
    throw new UnavailableError('Gatebook could not be reached for the session check', { cause });
  });
  await response.body?.cancel();
  if (response.ok) return true;
  const code = response.headers.get('x-stack-known-error');
  if (code !== null && codesOfEndedSessions.has(code)) return false;
  const message = `Gatebook answered the session check with ${response.status}${code === null ? '' : ` ${code}`}`;
  const isTemporary = response.status === 429 || response.status >= 500;
  throw isTemporary
    ? new UnavailableError(message, { retryAfter: response.headers.get('retry-after') })
    : new Error(message);
}

const codesOfEndedSessions: ReadonlySet<string> = new Set([
  'ACCESS_TOKEN_EXPIRED',
  'UNPARSABLE_ACCESS_TOKEN',
  'CANNOT_GET_OWN_USER_WITHOUT_USER',
  'USER_NOT_FOUND',
]);
