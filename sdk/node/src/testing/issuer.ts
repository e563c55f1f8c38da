import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const projectId = '11111111-1111-4111-8111-111111111111';
export const userId = '22222222-2222-4222-8222-222222222222';

/** Serves the public keys of a project and the current user, and issues tokens. */
export async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] };
  const requests: string[] = [];
  const state = { isUp: true, endedSession: false, downStatus: 503 };
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (!state.isUp) return response.writeHead(state.downStatus, { 'retry-after': '7' }).end();
    if (request.url?.endsWith('/jwks.json')) return response.end(JSON.stringify(jwks));
    if (!state.endedSession) return response.end('{}');
    response.writeHead(401, { 'x-stack-known-error': 'ACCESS_TOKEN_EXPIRED' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = {
    iss: `${url}/api/v1/projects/${projectId}`,
    aud: projectId,
    sub: userId,
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 600,
    refresh_token_id: '33333333-3333-4333-8333-333333333333',
    email: 'ann@example.com',
    email_verified: true,
    name: 'Ann',
    selected_team_id: null,
    is_anonymous: false,
    is_restricted: false,
    restricted_reason: null,
    signed_up_at: 1_700_000_000,
    auth_time: 1_700_000_100,
    is_impersonation: false,
  };
  return {
    url,
    jwks,
    requests,
    state,
    claims,
    issue: (changes: object = {}, key: CryptoKey | Uint8Array = privateKey, alg = 'ES256') =>
      new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg, kid: 'k1' }).sign(key),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
export type Issuer = Awaited<ReturnType<typeof startIssuer>>;
