import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { UnavailableError } from './unavailable.ts';

/** The signed-in user of a request, by the claims of the access token. */
export type AuthenticatedUser = {
  id: string;
  email: string | null;
  isEmailVerified: boolean;
  displayName: string | null;
  selectedTeamId: string | null;
  isAnonymous: boolean;
  /** Why the user is restricted; null if the user is not. */
  restrictedReason: string | null;
  signedUpAt: Date;
  sessionId: string;
  /** When the user signed in; null for sessions of others in the user's name and of the command line. */
  authenticatedAt: Date | null;
  /** Who acts in the user's name; null in the user's own session. */
  impersonator: { kind: string; id: string | null } | null;
  /** When the access token expires. */
  expiresAt: Date;
  accessToken: string;
};

export type VerifierOptions = {
  /** URL of Gatebook that this server can reach, without `/api/v1`. */
  baseUrl: string;
  projectId: string;
  /** The public URL of Gatebook, which tokens name as their issuer. By default `baseUrl`. */
  publicUrl?: string;
};

/** The token is malformed, forged, expired, or of another project. */
export class InvalidTokenError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'InvalidTokenError';
  }
}

/** @throws InvalidTokenError; UnavailableError if the public keys cannot be loaded */
export type VerifyToken = (accessToken: string) => Promise<AuthenticatedUser>;

/**
 * Verifies access tokens by the public keys of the project, which are loaded once and again when a new key is used.
 * An ended session is noticed when its token expires.
 */
export function createTokenVerifier({ baseUrl, projectId, publicUrl = baseUrl }: VerifierOptions): VerifyToken {
  const path = `/api/v1/projects/${projectId}`;
  const keys = createRemoteJWKSet(new URL(`${withoutSlash(baseUrl)}${path}/.well-known/jwks.json`));
  const issuer = `${withoutSlash(publicUrl)}${path}`;
  return async (accessToken) => toUser(await verify(accessToken, keys, { issuer, audience: projectId }), accessToken);
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

async function verify(
  accessToken: string,
  keys: JWTVerifyGetKey,
  expected: { issuer: string; audience: string },
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(accessToken, keys, {
      ...expected,
      algorithms: ['ES256'],
      requiredClaims: ['sub', 'exp', 'iat', 'refresh_token_id'],
    });
    return payload;
  } catch (error) {
    if (isOfToken(error)) throw new InvalidTokenError(error.message, error);
    throw new UnavailableError('the public keys of the project could not be loaded', { cause: error });
  }
}

/** False if the public keys could not be loaded. */
function isOfToken(error: unknown): error is Error {
  if (!(error instanceof errors.JOSEError)) return false;
  const ofKeys = [errors.JWKSTimeout, errors.JWKSInvalid, errors.JWKSMultipleMatchingKeys];
  return error.code !== 'ERR_JOSE_GENERIC' && !ofKeys.some((type) => error instanceof type);
}

function toUser(claims: JWTPayload, accessToken: string): AuthenticatedUser {
  const { auth_time: authTime, restricted_reason: reason } = claims;
  return {
    id: String(claims.sub),
    email: textOrNull(claims.email),
    isEmailVerified: claims.email_verified === true,
    displayName: textOrNull(claims.name),
    selectedTeamId: textOrNull(claims.selected_team_id),
    isAnonymous: claims.is_anonymous === true,
    restrictedReason: claims.is_restricted === true ? String(memberOf(reason, 'type') ?? 'unknown') : null,
    signedUpAt: toDate(claims.signed_up_at),
    sessionId: String(claims.refresh_token_id),
    authenticatedAt: authTime === undefined ? null : toDate(authTime),
    impersonator:
      claims.is_impersonation === true
        ? { kind: String(memberOf(claims.act, 'kind')), id: textOrNull(memberOf(claims.act, 'sub')) }
        : null,
    expiresAt: toDate(claims.exp),
    accessToken,
  };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const toDate = (seconds: unknown): Date => new Date(Number(seconds) * 1000);
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
