import { readTokenCookies } from '@gatebook/js/server';
import { findSession, type SessionCheckOptions } from './session.ts';
import { type AuthenticatedUser, createTokenVerifier, InvalidTokenError, type VerifierOptions } from './tokens.ts';

export type AuthOptions = VerifierOptions &
  SessionCheckOptions & {
    /** Accepts anonymous users too. */
    allowAnonymous?: boolean;
    /** Accepts users who are restricted, such as those without a verified email, too. */
    allowRestricted?: boolean;
    /**
     * Reads the access token from the cookies of the client libraries too, if no header has one. Browsers send cookies
     * with requests of other sites as well: accept them only where such a request does no harm.
     */
    acceptsCookies?: boolean;
  };

/** Header fields of a request: those of Fetch, or those of Node.js. */
export type RequestHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/** A response for a request without a user: status, header `www-authenticate` (RFC 6750 §3), and body. */
export type Rejection = { status: 401 | 403; challenge: string; body: { error: string; error_description: string } };
export type Authentication = { user: AuthenticatedUser; rejection: null } | { user: null; rejection: Rejection };

export type Authenticate = (headers: RequestHeaders) => Promise<Authentication>;

/** @throws UnavailableError if Gatebook cannot be asked: nothing is known about the user */
export function createAuthenticate(options: AuthOptions): Authenticate {
  const verifyToken = createTokenVerifier(options);
  const isSessionActive = findSession(options);
  const cookiesOf = options.acceptsCookies ? options.projectId : null;
  return async (headers) => {
    const accessToken = readAccessToken(headers, cookiesOf);
    if (accessToken === null) return rejected(401, 'unauthorized', 'This request requires an access token.');
    try {
      const user = await verifyToken(accessToken);
      if (!(await isSessionActive(user))) return rejected(401, 'invalid_token', 'The session has ended.');
      return judge(user, options);
    } catch (error) {
      if (error instanceof InvalidTokenError) return rejected(401, 'invalid_token', error.message);
      throw error;
    }
  };
}

function judge(user: AuthenticatedUser, { allowAnonymous, allowRestricted }: AuthOptions): Authentication {
  if (user.isAnonymous && !allowAnonymous) return rejected(401, 'unauthorized', 'Anonymous users cannot do this.');
  // Every anonymous user is restricted too.
  if (user.restrictedReason !== null && !user.isAnonymous && !allowRestricted) {
    return rejected(403, 'restricted_user', `This user is restricted: ${user.restrictedReason}.`);
  }
  return { user, rejection: null };
}

function rejected(status: 401 | 403, error: string, description: string): Authentication {
  const text = description.replaceAll(/["\\]/g, "'");
  const challenge = error === 'unauthorized' ? 'Bearer' : `Bearer error="${error}", error_description="${text}"`;
  return { user: null, rejection: { status, challenge, body: { error, error_description: description } } };
}

/**
 * From `authorization: Bearer …`, the header `x-stack-auth` of a client library, or `x-stack-access-token`; newer
 * libraries of the protocol name them `hexclave`. With `cookiesOf`, a project ID, also from its cookies.
 */
export function readAccessToken(headers: RequestHeaders, cookiesOf: string | null = null): string | null {
  const bearer = /^bearer +(\S+)$/i.exec(readHeader(headers, 'authorization') ?? '')?.[1];
  const [, encoded] = /^(?:stackauth|hexclave)_(.+)$/.exec(bearer ?? '') ?? [];
  if (encoded !== undefined) return tokenInJson(decodeBase64(encoded));
  if (bearer !== undefined) return bearer;
  const json = readHeader(headers, 'x-stack-auth') ?? readHeader(headers, 'x-hexclave-auth');
  if (json !== null) return tokenInJson(json);
  const token = readHeader(headers, 'x-stack-access-token') ?? readHeader(headers, 'x-hexclave-access-token');
  const cookies = token === null && cookiesOf !== null ? readHeader(headers, 'cookie') : null;
  return cookies === null ? token : readTokenCookies(cookies, cookiesOf ?? '').accessToken;
}

function readHeader(headers: RequestHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}

function tokenInJson(json: string): string | null {
  try {
    const { accessToken } = JSON.parse(json) as { accessToken?: unknown };
    return typeof accessToken === 'string' ? accessToken : null;
  } catch {
    return null;
  }
}
