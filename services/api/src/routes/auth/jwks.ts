import { IssuerMetadataView, JwksView } from '@gatebook/contract/auth';
import { reject } from '@gatebook/domain/errors';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { issuerOf } from '../../tokens.ts';

const PublicKey = JwksView.shape.keys.element;

/** Public keys for verifying this project's access tokens (protocol, conventions §4.1). */
export const jwksRoute = defineRoute({
  method: 'GET',
  path: '/projects/:project_id/.well-known/jwks.json',
  access: 'anyone',
  errors: ['PROJECT_KEYS_MISSING'],
  tags: ['Sign-in'],
  summary: 'Get the public keys of access tokens',
  description: 'A JSON Web Key Set (RFC 7517) for verifying the project’s access tokens offline.',
  params: z.object({ project_id: z.string().max(200) }),
  response: { 200: JwksView },
  handle: async ({ deps, params }) => {
    const projectId = params.project_id;
    // Reading keys creates them, so check that the project exists.
    if (!(await deps.projects.find(projectId))) reject('PROJECT_KEYS_MISSING');
    const keys = await deps.signingKeys.publicKeys(projectId);
    return { keys: keys.map(({ jwk }) => PublicKey.parse(jwk)) };
  },
});

/** What gateways need to verify access tokens by their issuer alone (OpenID Connect Discovery §4). */
export const issuerMetadataRoute = defineRoute({
  method: 'GET',
  path: '/projects/:project_id/.well-known/openid-configuration',
  access: 'anyone',
  errors: ['PROJECT_KEYS_MISSING'],
  tags: ['Sign-in'],
  summary: 'Get the metadata of the issuer of access tokens',
  description:
    'For gateways and libraries that verify access tokens by their issuer. Gatebook is no OpenID provider: there is no authorization endpoint, and there are no ID tokens. The algorithm is that of access tokens.',
  params: z.object({ project_id: z.string().max(200) }),
  response: { 200: IssuerMetadataView },
  handle: async ({ deps, params }) => {
    const projectId = params.project_id;
    if (!(await deps.projects.find(projectId))) reject('PROJECT_KEYS_MISSING');
    const issuer = issuerOf(deps.config.http.publicUrl, projectId);
    return {
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      response_types_supported: [],
      subject_types_supported: ['public' as const],
      id_token_signing_alg_values_supported: ['ES256' as const],
    };
  },
});
