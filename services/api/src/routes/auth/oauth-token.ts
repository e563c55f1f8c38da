import { TokenGrant, TokenRequest } from '@gatebook/contract/auth';
import { refuse } from '@gatebook/domain/errors';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { isClientSecret } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { seeAnsweredWrites } from '../../http/read-your-writes.ts';
import { toTokenFacts } from '../users/wire.ts';
import { recordActivity } from './tokens-of-session.ts';

type Client = { id: string | undefined; secret: string | undefined };

/** Protocol, conventions §4.2 and auth §8.6: the refresh grant, and the code grant for codes that nobody was given yet. */
export const oauthTokenRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/oauth/token', {
      config: { ignoresEndedSession: true, limitedAs: 'refresh' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Get a new access token for a refresh token (RFC 6749 §6)',
        description:
          'As OAuth has it: `client_id` is the project’s id and `client_secret` a publishable client key, in the body or as HTTP Basic. The refresh token stays the same. No authorization codes are given out.',
        consumes: ['application/x-www-form-urlencoded', 'application/json'],
        body: TokenRequest,
        response: { 200: TokenGrant },
      },
      handler: async (request, reply) => {
        const { body } = request;
        const client = clientOf(request, body);
        await seeAnsweredWrites(deps, reply, client.id?.split('#', 1) ?? []);
        const projectId = await authenticateClient(deps, body, client);
        if (body.grant_type === 'authorization_code') return refuseCode(reply, body);
        if (typeof body.refresh_token !== 'string' || body.refresh_token === '') {
          return invalidRequest(reply, 'refresh_token is missing');
        }
        if (body.scope !== undefined && body.scope !== 'legacy') refuse('INVALID_SCOPE', { scope: String(body.scope) });
        const found = await findSessionByRefreshToken(deps.db, projectId, sha256(body.refresh_token));
        if (!found) return refuse('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
        const facts = toTokenFacts(found.user, found.sessionId);
        const { token, expiresIn } = await deps.tokens.issue(facts);
        recordActivity(deps, request, facts);
        return reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send({
          access_token: token,
          token_type: 'Bearer',
          expires_in: expiresIn,
          scope: 'legacy',
        });
      },
    });
  };

/** @returns the client's project. @throws DomainError INVALID_OAUTH_CLIENT_ID_OR_SECRET */
async function authenticateClient(deps: Deps, body: TokenRequest, { id, secret }: Client): Promise<string> {
  const refuseClient = () => refuse('INVALID_OAUTH_CLIENT_ID_OR_SECRET', { client_id: null });
  const [projectId = '', branch = 'main', ...rest] = (id ?? '').split('#');
  if (projectId === '' || branch !== 'main' || rest.length > 0) return refuseClient();
  const project = await deps.projects.find(projectId);
  if (!project) return refuseClient();
  const isPublicClient = body.grant_type === 'authorization_code' && typeof body.code_verifier === 'string';
  if (secret === undefined && isPublicClient) return projectId;
  return isClientSecret(project, secret, deps.now()) ? projectId : refuseClient();
}

/** HTTP Basic wins over the body (RFC 6749 §2.3.1: both parts are form-encoded). */
function clientOf({ headers: { authorization } }: FastifyRequest, { client_id, client_secret }: TokenRequest): Client {
  const basic = /^basic ([a-z0-9+/]+=*)$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined) return { id: textOf(client_id), secret: textOf(client_secret) };
  const [id = '', ...secret] = Buffer.from(basic, 'base64').toString().split(':');
  return { id: formDecoded(id), secret: formDecoded(secret.join(':')) };
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

function formDecoded(text: string): string | undefined {
  try {
    return textOf(decodeURIComponent(text.replaceAll('+', ' ')));
  } catch {
    return undefined;
  }
}

/** No code was ever given out, so every code is an unknown one. */
function refuseCode(reply: FastifyReply, { code }: TokenRequest): FastifyReply {
  if (typeof code !== 'string' || code === '') return invalidRequest(reply, 'code is missing');
  return refuse('INVALID_AUTHORIZATION_CODE');
}

/** The raw OAuth form of an error (RFC 6749 §5.2), for a request without the grant's own fields. */
function invalidRequest(reply: FastifyReply, description: string): FastifyReply {
  return reply
    .code(400)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ error: 'invalid_request', error_description: description });
}
