import { isCrossDomainCode, redeemCrossDomainCode } from '@gatebook/commands/oauth/cross-domain';
import { redeemOAuthCode } from '@gatebook/commands/oauth/oauth-code';
import { CodeGrant, TokenGrant, TokenRequest } from '@gatebook/contract/auth';
import { reject } from '@gatebook/domain/errors';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isClientSecret } from '../../caller-keys.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute, type Written } from '../../http/define-route.ts';
import { type OAuthClient, oauthClientOf, textOf } from '../../http/oauth-client.ts';
import { seeAcknowledgedWrites } from '../../http/read-your-writes.ts';
import type { ProjectAccess } from '../../project-access-cache.ts';
import { authorizationContext } from '../oauth/authorization-context.ts';
import { projectOfClient } from '../oauth/client.ts';
import { toTokenFacts } from '../users/wire.ts';
import { oauthAccountErrors, sessionErrors } from './errors.ts';
import { answerSession, recordActivity } from './tokens-of-session.ts';

const neverCached = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** (protocol, conventions §4.2 and auth §8.6) */
export const oauthTokenRoute = defineRoute({
  method: 'POST',
  path: '/auth/oauth/token',
  access: 'anyone',
  ignoresEndedSession: true,
  limit: 'refresh',
  errors: [
    'INVALID_OAUTH_CLIENT_ID_OR_SECRET',
    'INVALID_SCOPE',
    'INVALID_AUTHORIZATION_CODE',
    'REDIRECT_URL_NOT_WHITELISTED',
    'QUOTA_EXCEEDED',
    ...sessionErrors,
    ...oauthAccountErrors,
  ],
  tags: ['Sign-in'],
  summary: 'Exchange an authorization code or refresh token for tokens',
  description:
    'The token endpoint of OAuth 2.0 (RFC 6749). `client_id` is the project ID and `client_secret` a publishable client key, in the body or as HTTP Basic. An authorization code needs its PKCE verifier; it signs up, signs in, or links an account. If a code is presented again, the session it started ends. A refresh doesn’t change the refresh token.',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  body: TokenRequest,
  response: { 200: z.union([CodeGrant, TokenGrant]) },
  handle: async ({ deps, request, reply, body }) => {
    const client = oauthClientOf(request);
    await seeAcknowledgedWrites(deps, reply, client.id?.split('#', 1) ?? []);
    const { projectId, project } = await authenticateClient(deps, body, client);
    if (body.grant_type === 'authorization_code') return answerCode(deps, request, reply, { projectId, project, body });
    if (typeof body.refresh_token !== 'string' || body.refresh_token === '') {
      return invalidRequest(reply, 'refresh_token is missing');
    }
    if (body.scope !== undefined && body.scope !== 'legacy') reject('INVALID_SCOPE', { scope: String(body.scope) });
    const found = await findSessionByRefreshToken(deps.db, projectId, sha256(body.refresh_token));
    if (!found) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    const facts = toTokenFacts(found.user, found.session, project.settings);
    const { token, expiresIn } = await deps.tokens.issue(facts);
    recordActivity(deps, request, facts);
    reply.headers(neverCached);
    const grant: TokenGrant = { access_token: token, token_type: 'Bearer', expires_in: expiresIn, scope: 'legacy' };
    return { position: null, body: grant };
  },
});

type ClientProject = { projectId: string; project: ProjectAccess['project'] };

/** @returns the client's project. @throws DomainError INVALID_OAUTH_CLIENT_ID_OR_SECRET */
async function authenticateClient(deps: Deps, body: TokenRequest, { id, secret }: OAuthClient): Promise<ClientProject> {
  const rejectClient = () => reject('INVALID_OAUTH_CLIENT_ID_OR_SECRET', { client_id: null });
  const found = await projectOfClient(deps, id ?? '');
  if (!found) return rejectClient();
  const { projectId, access } = found;
  const isPublicClient = body.grant_type === 'authorization_code' && typeof body.code_verifier === 'string';
  const isKnown =
    secret === undefined && isPublicClient ? true : isClientSecret(access, secret, Date.parse(deps.now()));
  return isKnown ? { projectId, project: access.project } : rejectClient();
}

/** Characters of a code (RFC 6749 §A.11). */
const codeForm = /^[\x20-\x7e]+$/;

async function answerCode(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  { projectId, project, body }: ClientProject & { body: TokenRequest },
): Promise<Written<CodeGrant> | FastifyReply> {
  const [code, verifier, redirectUri] = [body.code, body.code_verifier, body.redirect_uri].map(textOf);
  if (code === undefined || !codeForm.test(code)) return invalidRequest(reply, 'code is missing or malformed');
  const { sessionLifetimeHours } = project.settings;
  const context = { ...authorizationContext(request, projectId, { type: 'authenticate' }), sessionLifetimeHours };
  const presented = {
    code,
    verifier: verifier ?? null,
    redirectUri: redirectUri !== undefined && URL.canParse(redirectUri) ? redirectUri : null,
  };
  if (isCrossDomainCode(code)) {
    return answerCrossDomainCode(deps, request, reply, { projectId, project, presented });
  }
  const redeemed = await redeemOAuthCode(deps, context, { project, ...presented });
  if (redeemed.outcome === 'redirect_uri_missing') return invalidRequest(reply, 'redirect_uri is missing or no URL');
  if (redeemed.outcome === 'replayed') {
    return { position: redeemed.position, body: () => reject('INVALID_AUTHORIZATION_CODE') };
  }
  const { isNewUser, refreshToken, afterCallbackRedirectUrl } = redeemed;
  return answerSession(deps, request, redeemed, ({ token, expiresIn }) => {
    reply.headers(neverCached);
    return codeGrant({ token, expiresIn, refreshToken, isNewUser, afterCallbackRedirectUrl });
  });
}

type CrossDomain = ClientProject & { presented: Parameters<typeof redeemCrossDomainCode>[2] };

/** Continues a session on another domain, with the same refresh token (protocol, auth §8.10). */
async function answerCrossDomainCode(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  { projectId, project, presented }: CrossDomain,
): Promise<Written<CodeGrant> | FastifyReply> {
  const context = authorizationContext(request, projectId, { type: 'authenticate' });
  const redeemed = await redeemCrossDomainCode(deps, context, presented);
  if (redeemed.outcome === 'redirect_uri_missing') return invalidRequest(reply, 'redirect_uri is missing or no URL');
  const { position } = redeemed;
  if (redeemed.outcome === 'replayed') return { position, body: () => reject('INVALID_AUTHORIZATION_CODE') };
  const { refreshToken, afterCallbackRedirectUrl } = redeemed;
  const found = await findSessionByRefreshToken(deps.db, projectId, sha256(refreshToken));
  if (!found) return reject('INVALID_AUTHORIZATION_CODE');
  const facts = toTokenFacts(found.user, found.session, project.settings);
  const issued = await deps.tokens.issue(facts);
  recordActivity(deps, request, facts);
  reply.headers(neverCached);
  return { position, body: codeGrant({ ...issued, refreshToken, isNewUser: false, afterCallbackRedirectUrl }) };
}

type Grant = {
  token: string;
  expiresIn: number;
  refreshToken: string;
  isNewUser: boolean;
  afterCallbackRedirectUrl: string | null;
};

const codeGrant = ({ token, expiresIn, refreshToken, isNewUser, afterCallbackRedirectUrl }: Grant): CodeGrant => ({
  access_token: token,
  refresh_token: refreshToken,
  token_type: 'Bearer',
  expires_in: expiresIn,
  scope: 'legacy',
  is_new_user: isNewUser,
  newUser: isNewUser,
  after_callback_redirect_url: afterCallbackRedirectUrl,
  afterCallbackRedirectUrl,
});

/** The OAuth form of an error (RFC 6749 §5.2), for a request that lacks fields of the grant. */
function invalidRequest(reply: FastifyReply, description: string): FastifyReply {
  return reply
    .code(400)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ error: 'invalid_request', error_description: description });
}
