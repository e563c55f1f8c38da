import { type KeyObject, sign } from 'node:crypto';
import type { Impersonator } from '@gatebook/domain/event';
import type { RestrictionType } from '@gatebook/domain/user/restriction';
import type { SigningKeys } from '@gatebook/eventlog/encryption/signing-keys';
import type { SessionFacts } from '@gatebook/readmodel/sessions/queries';
import type { Clock } from '@gatebook/runtime/clock';
import { createLruCache } from '@gatebook/runtime/lru-cache';
import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWTPayload, jwtVerify } from 'jose';

/** The claims of an access token, for old and new clients (protocol, rule 15). */
export type TokenFacts = {
  projectId: string;
  userId: string;
  session: SessionFacts;
  displayName: string | null;
  email: string | null;
  isEmailVerified: boolean;
  isAnonymous: boolean;
  /** Why the user is restricted; null if the user is not. */
  restriction: RestrictionType | null;
  requiresTotpMfa: boolean;
  selectedTeamId: string | null;
  signedUpAtMillis: number;
  /** How long the project's access tokens last; null: as long as the installation says. */
  lifeSeconds: number | null;
};

export type VerifiedToken = {
  projectId: string;
  userId: string;
  sessionId: string;
  expiresAtMillis: number;
  isAnonymous: boolean;
  isRestricted: boolean;
  /** The impersonator; null in the user's own session. */
  impersonator: Impersonator | null;
  /** When the user signed in; null for an impersonation session. */
  authenticatedAtMillis: number | null;
};
export type Verification =
  | ({ outcome: 'valid' } & VerifiedToken)
  | { outcome: 'expired'; expiredAtMillis: number }
  | { outcome: 'unparsable' };

export type AccessTokens = {
  /** `expiresIn` in seconds. */
  issue(facts: TokenFacts): Promise<{ token: string; expiresIn: number }>;
  /** `at`: in milliseconds. */
  verify(token: string, at?: number): Promise<Verification>;
};

type Parts = {
  signingKeys: SigningKeys;
  publicUrl: string;
  lifeSeconds: number;
  now: Clock;
  /** Signing keys are created on first use. Without this check, anyone could create keys for any ID. */
  projectExists(projectId: string): Promise<boolean>;
};

const algorithm = 'ES256';
export const issuerOf = (publicUrl: string, projectId: string) => `${publicUrl}/api/v1/projects/${projectId}`;
/** Verified tokens, about 5,000; each with its facts. */
const maxRememberedBytes = 8_388_608;
const factBytes = 600;
/** Clients request tokens with this lifetime. A token can outlive its session by no more than this. */
const shortestLifeSeconds = 60;
/** Projects whose public keys are kept; each takes about 2 kB. */
const maxImported = 10_000;
const unparsable = { outcome: 'unparsable' } as const;

/**
 * Access tokens are ES256 JWTs of one project, verified by signature, issuer, audience and time (protocol, conventions
 * §4.1).
 */
export function createAccessTokens({ signingKeys, publicUrl, lifeSeconds, now, projectExists }: Parts): AccessTokens {
  const imported = createLruCache<Awaited<ReturnType<typeof importJWK>>>(maxImported);
  /** Caches verified signatures by token, because clients send one token for minutes. */
  const remembered = createLruCache<{ outcome: 'valid'; kid: string } & VerifiedToken>(maxRememberedBytes);

  const publishedKey = async (projectId: string, kid: string) =>
    (await signingKeys.publicKeys(projectId)).find((key) => key.kid === kid);

  async function publicKey(projectId: string, kid: string) {
    const found = await publishedKey(projectId, kid);
    if (!found) return null;
    const key = imported.get(kid) ?? (await importJWK(found.jwk, algorithm));
    imported.set(kid, key, 1);
    return key;
  }

  async function check(token: string, at: number): Promise<Verification & { kid?: string }> {
    const { aud: projectId } = decodeJwt(token);
    const { kid, alg, typ } = decodeProtectedHeader(token);
    if (alg !== algorithm || typeof kid !== 'string' || (typ !== undefined && typ !== 'JWT')) return unparsable;
    if (typeof projectId !== 'string' || !(await projectExists(projectId))) return unparsable;
    const key = await publicKey(projectId, kid);
    if (!key) return unparsable;
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        issuer: issuerOf(publicUrl, projectId),
        audience: projectId,
        currentDate: new Date(at),
        requiredClaims: ['sub', 'exp', 'iat', 'refreshTokenId'],
      });
      return { outcome: 'valid', projectId, ...subjectOf(payload), kid };
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        return { outcome: 'expired', expiredAtMillis: Number(error.payload.exp) * 1000 };
      }
      throw error;
    }
  }

  function remember(token: string, { kid, ...verified }: Verification & { kid?: string }): void {
    if (verified.outcome !== 'valid' || kid === undefined) return;
    remembered.set(token, { ...verified, kid }, factBytes + token.length);
  }

  /** In seconds. */
  function lifeOf({ session: { endsAt }, lifeSeconds: ofProject }: TokenFacts, issuedAt: number): number {
    const longest = ofProject ?? lifeSeconds;
    const left = endsAt === null ? longest : Math.floor(endsAt / 1000) - issuedAt;
    return Math.max(Math.min(longest, left), Math.min(longest, shortestLifeSeconds));
  }

  return {
    issue: async (facts) => {
      const { kid, privateKey } = await signingKeys.current(facts.projectId);
      const issuedAt = Math.floor(Date.parse(now()) / 1000);
      const expiresIn = lifeOf(facts, issuedAt);
      const claims = {
        ...claimsOf(facts),
        iss: issuerOf(publicUrl, facts.projectId),
        aud: facts.projectId,
        sub: facts.userId,
        iat: issuedAt,
        exp: issuedAt + expiresIn,
      };
      const token = signJwt({ alg: algorithm, kid }, claims, privateKey);
      return { token, expiresIn };
    },
    verify: async (token, at = Date.parse(now())) => {
      const known = remembered.get(token);
      if (known && known.expiresAtMillis > at && (await publishedKey(known.projectId, known.kid))) return known;
      remembered.delete(token);
      try {
        const { kid, ...verification } = await check(token, at);
        remember(token, { ...verification, ...(kid === undefined ? {} : { kid }) });
        return verification;
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return unparsable;
        throw error;
      }
    },
  };
}

/**
 * A JWS in compact form (RFC 7515 §7.1). Node signs synchronously; the Web Crypto of jose goes through the thread pool
 * for each token, which halves the rate of refreshes (docs/decisions/0005).
 */
function signJwt(header: { alg: typeof algorithm; kid: string }, claims: JWTPayload, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** Contains both generations of names. Older clients ignore additional claims. */
function claimsOf(facts: TokenFacts): JWTPayload {
  return {
    branchId: 'main',
    refreshTokenId: facts.session.id,
    role: 'authenticated',
    project_id: facts.projectId,
    branch_id: 'main',
    refresh_token_id: facts.session.id,
    name: facts.displayName,
    email: facts.email,
    email_verified: facts.isEmailVerified,
    selected_team_id: facts.selectedTeamId,
    is_anonymous: facts.isAnonymous,
    is_restricted: facts.restriction !== null,
    restricted_reason: facts.restriction && { type: facts.restriction },
    requires_totp_mfa: facts.requiresTotpMfa,
    signed_up_at: Math.floor(facts.signedUpAtMillis / 1000),
    ...sessionClaims(facts.session),
  };
}

/** `auth_time` is OpenID Connect's (Core 1.0 §2), `act` that of token exchange (RFC 8693 §4.1). */
function sessionClaims({ impersonation, authenticatedAt }: SessionFacts): JWTPayload {
  return {
    is_impersonation: impersonation !== null,
    ...(impersonation && {
      act: { kind: impersonation.by.kind, sub: impersonation.by.id },
      impersonation_ends_at: Math.floor(impersonation.endsAt / 1000),
    }),
    ...(authenticatedAt !== null && { auth_time: Math.floor(authenticatedAt / 1000) }),
  };
}

function subjectOf(payload: JWTPayload): Omit<VerifiedToken, 'projectId'> {
  const { sub, exp, refreshTokenId, auth_time: authTime } = payload;
  return {
    userId: String(sub),
    sessionId: String(refreshTokenId),
    expiresAtMillis: Number(exp) * 1000,
    isAnonymous: payload.is_anonymous === true,
    isRestricted: payload.is_restricted === true,
    impersonator: payload.is_impersonation === true ? impersonatorIn(payload.act) : null,
    authenticatedAtMillis: typeof authTime === 'number' ? authTime * 1000 : null,
  };
}

/** The content was signed by us. */
function impersonatorIn(act: unknown): Impersonator {
  const { kind, sub } = act as { kind: Impersonator['kind']; sub: string | null };
  return { kind, id: sub };
}
