import type { Context } from '@gatebook/commands/deps';
import {
  beginOAuth,
  linkPurposeOf,
  pushOAuthRequest,
  takeOAuthRequest,
} from '@gatebook/commands/oauth/authorization-request';
import type { ProviderId } from '@gatebook/commands/oauth/oauth-providers';
import {
  AuthorizeBody,
  AuthorizeLocation,
  AuthorizeQuery,
  EmptyBody,
  ProviderPath,
  RequestPath,
} from '@gatebook/contract/oauth';
import type { AuthorizationRequest, OAuthAddresses, OAuthPurpose } from '@gatebook/domain/code/oauth';
import { reject } from '@gatebook/domain/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf, checkSession, type SessionUse } from '../../access.ts';
import { type Caller, isClientSecret } from '../../caller.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { setAuthorizationCookie } from '../../http/cookies.ts';
import { rejectRequest } from '../../http/validation.ts';
import type { ProjectAccess } from '../../project-access-cache.ts';
import type { VerifiedToken } from '../../tokens.ts';
import {
  authorizationContext,
  authorizationRequestSeconds,
  callbackUrlOf,
  innerCookie,
  isSecureOrigin,
  providerIn,
} from './authorization-context.ts';
import { projectOfClient } from './client.ts';

/** Protocol, auth §8.2. */
export const authorizeRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/auth/oauth/authorize/:provider', {
      config: { limitedAs: 'oauth' },
      schema: {
        tags: ['OAuth'],
        summary: 'Send the browser to a sign-in provider',
        description:
          'For browsers: sets the cookie that ties the visit to them and redirects. `client_id` is the project’s id, `client_secret` a publishable client key, PKCE is required. With `stack_response_mode=json` the checks are made, the request is kept for two minutes, and the address to go to comes back.',
        params: ProviderPath,
        querystring: AuthorizeQuery,
        response: { 200: AuthorizeLocation },
      },
      handler: async (request, reply) => {
        const { query } = request;
        const { projectId, project } = await clientOf(deps, query);
        const provider = providerIn(project.project.config, request.params.provider);
        checkOuterRequest(request, project);
        const purpose = await purposeOf(deps, projectId, project, query);
        const errorRedirectUrl = query.error_redirect_uri ?? query.error_redirect_url;
        const asked = requestOf({ ...query, error_redirect_uri: errorRedirectUrl }, purpose, provider);
        const context = authorizationContext(request, projectId, purpose);
        if (query.stack_response_mode === 'json' || query.hexclave_response_mode === 'json') {
          const pushed = await pushOAuthRequest(deps, context, asked);
          return reply.send({ location: addressForBrowser(deps, pushed.request) });
        }
        return sendToProvider(deps, context, reply, asked);
      },
    });

    app.post('/auth/oauth/authorize/:provider', {
      config: { limitedAs: 'oauth' },
      schema: {
        tags: ['OAuth'],
        summary: 'Push an authorization request',
        description:
          'As RFC 9126 does: the request is kept for two minutes, and the address that the browser goes to names it by a code that works once. Linking takes the user from the access token in the headers.',
        params: ProviderPath,
        body: AuthorizeBody,
        response: { 200: AuthorizeLocation },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const provider = providerIn(caller.project.project.config, request.params.provider);
        const purpose = await purposeOfCaller(deps, caller, request.body);
        const asked = requestOf(request.body, purpose, provider);
        const pushed = await pushOAuthRequest(deps, contextOf(request, caller), asked);
        return reply.send({ location: addressForBrowser(deps, pushed.request) });
      },
    });

    app.get('/auth/oauth/requests/:request', {
      config: { limitedAs: 'oauth' },
      schema: {
        tags: ['OAuth'],
        summary: 'Continue a pushed authorization request in the browser',
        description: 'Sets the cookie that ties the visit to this browser and redirects to the provider. Works once.',
        params: RequestPath,
        response: { 307: EmptyBody },
      },
      handler: async (request, reply) => {
        const someone = authorizationContext(request, '', { type: 'authenticate' });
        const { projectId, request: asked } = await takeOAuthRequest(deps, someone, request.params.request);
        return sendToProvider(deps, authorizationContext(request, projectId, asked.purpose), reply, asked);
      },
    });
  };

type NewAuthorizationRequest = AuthorizationRequest & OAuthAddresses;

/** The cookie ties the visit to the browser that is sent away here. */
async function sendToProvider(
  deps: Deps,
  context: Context,
  reply: FastifyReply,
  asked: NewAuthorizationRequest,
): Promise<FastifyReply> {
  const { location, state } = await beginOAuth(deps, context, {
    ...asked,
    callbackUrl: callbackUrlOf(deps, asked.provider),
  });
  setAuthorizationCookie(reply, {
    name: innerCookie(deps, state),
    value: 'true',
    seconds: authorizationRequestSeconds,
    isSecure: isSecureOrigin(deps),
  });
  return reply.redirect(location, 307);
}

type Asked = Pick<
  AuthorizeQuery,
  | 'redirect_uri'
  | 'state'
  | 'provider_scope'
  | 'error_redirect_uri'
  | 'after_callback_redirect_url'
  | 'code_challenge'
  | 'code_challenge_method'
>;

function requestOf(asked: Asked, purpose: OAuthPurpose, provider: ProviderId): NewAuthorizationRequest {
  return {
    purpose,
    provider,
    extraScopes: scopesOf(asked.provider_scope),
    codeChallenge: asked.code_challenge,
    codeChallengeMethod: asked.code_challenge_method,
    redirectUri: asked.redirect_uri,
    state: asked.state,
    errorRedirectUrl: asked.error_redirect_uri ?? null,
    afterCallbackRedirectUrl: asked.after_callback_redirect_url ?? null,
  };
}

/** @throws DomainError INVALID_OAUTH_CLIENT_ID_OR_SECRET, INVALID_PUBLISHABLE_CLIENT_KEY */
async function clientOf(deps: Deps, query: AuthorizeQuery): Promise<{ projectId: string; project: ProjectAccess }> {
  const found = await projectOfClient(deps, query.client_id);
  if (!found) return reject('INVALID_OAUTH_CLIENT_ID_OR_SECRET', { client_id: query.client_id });
  if (!isClientSecret(found.project, query.client_secret, deps.now())) {
    reject('INVALID_PUBLISHABLE_CLIENT_KEY', { project_id: found.projectId });
  }
  return found;
}

/** What could not work at the end of the flow is told before the provider is visited (protocol, auth §8.3, step 10). */
function checkOuterRequest(request: FastifyRequest<{ Querystring: AuthorizeQuery }>, { project }: ProjectAccess): void {
  const { scope, code_challenge_method: method } = request.query;
  if (scope !== 'legacy') reject('INVALID_SCOPE', { scope });
  if (method === 'plain' && project.isProductionMode) {
    rejectRequest(request, ['query.code_challenge_method: must be S256 for a project in production']);
  }
}

/**
 * Whose account grows, for `link`.
 * @throws DomainError UNPARSABLE_ACCESS_TOKEN, ACCESS_TOKEN_EXPIRED, OAUTH_LINK_OF_ANOTHER_PROJECT, IMPERSONATION_NOT_ALLOWED,
 *   REAUTHENTICATION_REQUIRED
 */
async function purposeOf(
  deps: Deps,
  projectId: string,
  project: ProjectAccess,
  { type, token }: AuthorizeQuery,
): Promise<OAuthPurpose> {
  if (type === 'authenticate') return { type };
  const verified = await deps.tokens.verify(token);
  if (verified.outcome === 'unparsable') return reject('UNPARSABLE_ACCESS_TOKEN');
  if (verified.outcome === 'expired') {
    return reject('ACCESS_TOKEN_EXPIRED', { expired_at_millis: verified.expiredAtMillis });
  }
  if (verified.projectId !== projectId) reject('OAUTH_LINK_OF_ANOTHER_PROJECT');
  return linkPurpose(deps, { token: verified, accessType: 'client', project });
}

/** @throws DomainError USER_AUTHENTICATION_REQUIRED, and those of `linkPurpose` */
async function purposeOfCaller(deps: Deps, caller: Caller, { type }: AuthorizeBody): Promise<OAuthPurpose> {
  if (type === 'authenticate') return { type };
  const { token, user } = caller;
  return token && user ? linkPurpose(deps, { ...caller, token }) : reject('USER_AUTHENTICATION_REQUIRED');
}

/** @throws DomainError ACCESS_TOKEN_EXPIRED, IMPERSONATION_NOT_ALLOWED, REAUTHENTICATION_REQUIRED */
async function linkPurpose(deps: Deps, session: SessionUse & { token: VerifiedToken }): Promise<OAuthPurpose> {
  const { token } = session;
  checkSession('recent', session, deps.now());
  const purpose = await linkPurposeOf(deps, token);
  return purpose ?? reject('ACCESS_TOKEN_EXPIRED', { expired_at_millis: token.expiresAtMillis });
}

const scopesOf = (scope = '') => scope.split(' ').filter(Boolean);

/**
 * A script of another site can't set our cookie, so whoever asks by script gets an address of ours: the browser comes here itself,
 * and from here goes to the provider.
 */
const addressForBrowser = ({ config }: Pick<Deps, 'config'>, request: string) =>
  `${config.http.publicUrl}/api/v1/auth/oauth/requests/${request}`;
