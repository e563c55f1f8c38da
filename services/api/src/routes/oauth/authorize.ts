import { beginOAuth, keysForVisit } from '@gatebook/commands/oauth-flow';
import { AuthorizeLocation, AuthorizeQuery, ProviderPath } from '@gatebook/contract/oauth';
import type { OAuthFlow } from '@gatebook/domain/code/oauth';
import { refuse } from '@gatebook/domain/errors';
import { findCurrentUser } from '@gatebook/readmodel/users/queries';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { isClientSecret } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { setVisitCookie } from '../../http/cookies.ts';
import { refuseRequest } from '../../http/validation.ts';
import type { ProjectAccess } from '../../project-access-cache.ts';
import { projectOfClient } from './client.ts';
import { callbackUrlOf, flowContext, flowSeconds, innerCookie, isSecureOrigin, providerIn } from './visit.ts';

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
          'For browsers: sets the cookie that ties the visit to them and redirects. `client_id` is the project’s id, `client_secret` a publishable client key, PKCE is required. With `stack_response_mode=json` the checks are made and the address to go to comes back.',
        params: ProviderPath,
        querystring: AuthorizeQuery,
        response: { 200: AuthorizeLocation },
      },
      handler: async (request, reply) => {
        const { query } = request;
        const { projectId, project } = await clientOf(deps, query);
        const provider = providerIn(project.project.config, request.params.provider);
        checkOuterFlow(request, project);
        const purpose = await purposeOf(deps, projectId, query);
        const extraScopes = scopesOf(query.provider_scope);
        if (query.stack_response_mode === 'json' || query.hexclave_response_mode === 'json') {
          await keysForVisit(deps, projectId, { provider, extraScopes });
          return reply.send({ location: addressForBrowser(request, deps.config.http.publicUrl) });
        }
        const { location, state } = await beginOAuth(deps, flowContext(request, projectId, purpose), {
          purpose,
          provider,
          extraScopes,
          codeChallenge: query.code_challenge,
          codeChallengeMethod: query.code_challenge_method,
          redirectUri: query.redirect_uri,
          state: query.state,
          errorRedirectUrl: query.error_redirect_uri ?? query.error_redirect_url ?? null,
          afterCallbackRedirectUrl: query.after_callback_redirect_url ?? null,
          callbackUrl: callbackUrlOf(deps, provider),
        });
        setVisitCookie(reply, {
          name: innerCookie(state),
          value: 'true',
          seconds: flowSeconds,
          isSecure: isSecureOrigin(deps),
        });
        return reply.redirect(location, 307);
      },
    });
  };

/** @throws DomainError INVALID_OAUTH_CLIENT_ID_OR_SECRET, INVALID_PUBLISHABLE_CLIENT_KEY */
async function clientOf(deps: Deps, query: AuthorizeQuery): Promise<{ projectId: string; project: ProjectAccess }> {
  const found = await projectOfClient(deps, query.client_id);
  if (!found) return refuse('INVALID_OAUTH_CLIENT_ID_OR_SECRET', { client_id: query.client_id });
  if (!isClientSecret(found.project, query.client_secret, deps.now())) {
    refuse('INVALID_PUBLISHABLE_CLIENT_KEY', { project_id: found.projectId });
  }
  return found;
}

/** What could not work at the end of the flow is told before the provider is visited (protocol, auth §8.3, step 10). */
function checkOuterFlow(request: FastifyRequest<{ Querystring: AuthorizeQuery }>, { project }: ProjectAccess): void {
  const { scope, code_challenge_method: method } = request.query;
  if (scope !== 'legacy') refuse('INVALID_SCOPE', { scope });
  if (method === 'plain' && project.isProductionMode) {
    refuseRequest(request, ['query.code_challenge_method: must be S256 for a project in production']);
  }
}

/**
 * Whose account grows, for `link`.
 * @throws DomainError UNPARSABLE_ACCESS_TOKEN, ACCESS_TOKEN_EXPIRED, OAUTH_LINK_OF_ANOTHER_PROJECT
 */
async function purposeOf(
  deps: Deps,
  projectId: string,
  { type, token }: AuthorizeQuery,
): Promise<OAuthFlow['purpose']> {
  if (type === 'authenticate') return { type };
  const verified = await deps.tokens.verify(token);
  if (verified.outcome === 'unparsable') return refuse('UNPARSABLE_ACCESS_TOKEN');
  if (verified.outcome === 'expired') {
    return refuse('ACCESS_TOKEN_EXPIRED', { expired_at_millis: verified.expiredAtMillis });
  }
  if (verified.projectId !== projectId) refuse('OAUTH_LINK_OF_ANOTHER_PROJECT');
  const { userId, sessionId, expiresAtMillis } = verified;
  const found = await findCurrentUser(deps.db, projectId, userId, sessionId);
  if (found && !found.isSessionLive) refuse('ACCESS_TOKEN_EXPIRED', { expired_at_millis: expiresAtMillis });
  return { type, userId };
}

const scopesOf = (scope = '') => scope.split(' ').filter(Boolean);

/**
 * A script of another site can't set our cookie, so whoever asks for JSON gets this endpoint's own address: the browser comes
 * here itself, and from here goes to the provider.
 */
function addressForBrowser({ url }: FastifyRequest, publicUrl: string): string {
  const address = new URL(url, publicUrl);
  for (const name of ['stack_response_mode', 'hexclave_response_mode']) address.searchParams.delete(name);
  return `${publicUrl}${address.pathname}${address.search}`;
}
