import { JwksView } from '@gatebook/contract/auth';
import { reject } from '@gatebook/domain/errors';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';

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
