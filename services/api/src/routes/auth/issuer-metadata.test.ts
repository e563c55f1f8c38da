import { createRemoteJWKSet, customFetch as joseFetch, jwtVerify } from 'jose';
import { allowInsecureRequests, customFetch, discovery } from 'openid-client';
import { expect, test } from 'vitest';
import { createProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);

/** Requests reach the API as over the network. */
async function inject(url: string | URL): Promise<Response> {
  const { pathname } = new URL(url);
  const { statusCode, body, headers } = await api.app.inject(pathname);
  return new Response(body, { status: statusCode, headers: { 'content-type': String(headers['content-type']) } });
}
const issuerIn = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).iss;

test('a gateway that knows only the issuer verifies access tokens', async () => {
  const { accessToken, userId } = await signUp(send, project);
  const issuer = issuerIn(accessToken);
  const execute = [allowInsecureRequests];
  const found = await discovery(new URL(issuer), 'gateway', undefined, undefined, { [customFetch]: inject, execute });
  const metadata = found.serverMetadata();
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), { [joseFetch]: inject });
  const algorithms = metadata.id_token_signing_alg_values_supported ?? [];
  const options = { issuer: metadata.issuer, audience: project.projectId, algorithms };
  expect((await jwtVerify(accessToken, keys, options)).payload.sub).toBe(userId);

  const other = await signUp(send, await createProject(send));
  await expect(jwtVerify(other.accessToken, keys, options)).rejects.toThrow();
});

test('the metadata names only endpoints that exist', async () => {
  const issuer = issuerIn((await signUp(send, project)).accessToken);
  const metadata = await (await inject(`${issuer}/.well-known/openid-configuration`)).json();
  const urls = Object.entries(metadata).filter(([key]) => /_(uri|endpoint)$/.test(key));
  expect(urls.map(([key]) => key)).toEqual(['jwks_uri']);
  for (const [, url] of urls) expect((await inject(String(url))).status).toBe(200);
});

test('an unknown project has no metadata', async () => {
  const answer = await api.app.inject('/api/v1/projects/nowhere/.well-known/openid-configuration');
  expect(answer.statusCode).toBe(404);
});
