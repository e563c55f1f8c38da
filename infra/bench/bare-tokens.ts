import { type KeyPairKeyObjectResult, sign } from 'node:crypto';
import { jwtVerify } from 'jose';

type Person = { id: string; display_name: string | null; primary_email: string | null };

const lifeSeconds = 3_600;

/** ES256 access tokens with the claims that Gatebook's have. */
export function createBareTokens({ publicKey, privateKey }: KeyPairKeyObjectResult, projectId: string) {
  const issuer = `https://bare.example/api/v1/projects/${projectId}`;

  /** Node signs in less time than the Web Crypto of jose. */
  function issue(sessionId: string, { id, display_name: name, primary_email: email }: Person): string {
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ branchId: 'main', refreshTokenId: sessionId, role: 'authenticated', project_id: projectId },
      ...{ branch_id: 'main', refresh_token_id: sessionId, name, email, email_verified: false },
      ...{ selected_team_id: null, is_anonymous: false, is_restricted: false, restricted_reason: null },
      ...{ requires_totp_mfa: false, signed_up_at: iat, is_impersonation: false, auth_time: iat },
      ...{ iss: issuer, aud: projectId, sub: id, iat, exp: iat + lifeSeconds },
    };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const input = `${part({ alg: 'ES256', kid: 'bare' })}.${part(claims)}`;
    const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  }

  return {
    lifeSeconds,
    issue,
    /** The response to a sign-in. */
    answer: (session: { id: string; refreshToken: string }, person: Person) => ({
      access_token: issue(session.id, person),
      refresh_token: session.refreshToken,
      user_id: person.id,
    }),
    verify: async (token: string): Promise<[userId: string, sessionId: string]> => {
      const { payload } = await jwtVerify(token, publicKey, { algorithms: ['ES256'], issuer, audience: projectId });
      return [String(payload.sub), String(payload.refreshTokenId)];
    },
  };
}
