import type { Context } from '@gatebook/commands/deps';
import {
  beginOAuth,
  linkPurposeOf,
  pushOAuthRequest,
  takeOAuthRequest,
} from '@gatebook/commands/oauth/authorization-request';
import {
  AuthorizeBody,
  AuthorizeLocation,
  AuthorizeQuery,
  EmptyBody,
  ProviderPath,
  RequestPath,
} from '@gatebook/contract/oauth';
import type { AuthorizationRequest, OAuthPurpose, OAuthUrls } from '@gatebook/domain/code/oauth';
import { reject } from '@gatebook/domain/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkSession, clientAndUp, type SessionUse } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import { isClientSecret } from '../../caller-keys.ts';
import type { Deps } from '../../deps.ts';
import { setAuthorizationCookie } from '../../http/cookies.ts';
import { defineRoute, Redirect } from '../../http/define-route.ts';
import { rejectRequest } from '../../http/validation.ts';
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

/** (protocol, auth §8.2) */
export const authorizeRoute = defineRoute({
  method: 'GET',
  path: '/auth/oauth/authorize/:provider',
  access: 'anyone',
  limit: 'oauth',
  errors: [
    'IMPERSONATION_NOT_ALLOWED',
    'REAUTHENTICATION_REQUIRED',
    'INVALID_OAUTH_CLIENT_ID_OR_SECRET',
    'INVALID_PUBLISHABLE_CLIENT_KEY',
    'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    'INVALID_SCOPE',
    'UNPARSABLE_ACCESS_TOKEN',
    'ACCESS_TOKEN_EXPIRED',
    'OAUTH_LINK_OF_ANOTHER_PROJECT',
    'OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
    'OAUTH_PROVIDER_KEYS_REJECTED',
    'OAUTH_PROVIDER_UNREACHABLE',
  ],
  tags: ['OAuth'],
  summary: 'Redirect the browser to an OAuth provider',
  description:
    'For browsers. Sets the cookie that ties the authorization request to the browser, and redirects. `client_id` is the project ID, `client_secret` a publishable client key. PKCE is required. With `stack_response_mode=json`, the request is checked and stored for two minutes, and the response contains the URL to open.',
  params: ProviderPath,
  query: AuthorizeQuery,
  response: { 200: AuthorizeLocation },
  handle: async ({ deps, request, reply, params, query }) => {
    const { projectId, project } = await clientOf(deps, query);
    const provider = providerIn(project.config, params.provider);
    checkOuterRequest(request, project, query);
    const purpose = await purposeOf(deps, projectId, project, query);
    const errorRedirectUrl = query.error_redirect_uri ?? query.error_redirect_url;
    const asked = requestOf({ ...query, error_redirect_uri: errorRedirectUrl }, purpose, provider);
    const context = authorizationContext(request, projectId, purpose);
    if (query.stack_response_mode === 'json' || query.hexclave_response_mode === 'json') {
      const pushed = await pushOAuthRequest(deps, context, asked);
      return { location: addressForBrowser(deps, pushed.request) };
    }
    return redirectToProvider(deps, context, reply, asked);
  },
});

export const pushAuthorizationRequestRoute = defineRoute({
  method: 'POST',
  path: '/auth/oauth/authorize/:provider',
  bodySize: 'medium',
  access: clientAndUp,
  // Linking requires a recent sign-in: see `linkPurpose`.
  session: 'any',
  limit: 'oauth',
  errors: [
    'IMPERSONATION_NOT_ALLOWED',
    'REAUTHENTICATION_REQUIRED',
    'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    'USER_AUTHENTICATION_REQUIRED',
    'OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
  ],
  tags: ['OAuth'],
  summary: 'Push an authorization request',
  description:
    'Works like RFC 9126. The request is stored for two minutes, and the returned URL contains a code that works once. Linking an account uses the user of the access token in the headers.',
  params: ProviderPath,
  body: AuthorizeBody,
  response: { 200: AuthorizeLocation },
  handle: async ({ deps, caller, context, params, body }) => {
    const provider = providerIn(caller.project.config, params.provider);
    const purpose = await purposeOfCaller(deps, caller, body);
    const pushed = await pushOAuthRequest(deps, context, requestOf(body, purpose, provider));
    // The request is read from its stream, so there is nothing to wait for.
    return { position: null, body: { location: addressForBrowser(deps, pushed.request) } };
  },
});

export const continueAuthorizationRoute = defineRoute({
  method: 'GET',
  path: '/auth/oauth/requests/:request',
  access: 'anyone',
  limit: 'oauth',
  errors: [
    'OAUTH_AUTHORIZATION_REQUEST_UNKNOWN',
    'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    'OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
    'OAUTH_PROVIDER_KEYS_REJECTED',
    'OAUTH_PROVIDER_UNREACHABLE',
  ],
  tags: ['OAuth'],
  summary: 'Continue a pushed authorization request',
  description:
    'Sets the cookie that ties the authorization request to this browser, and redirects to the provider. Works once.',
  params: RequestPath,
  response: { 307: EmptyBody },
  handle: async ({ deps, request, reply, params }) => {
    const someone = authorizationContext(request, '', { type: 'authenticate' });
    const { projectId, request: asked } = await takeOAuthRequest(deps, someone, params.request);
    return redirectToProvider(deps, authorizationContext(request, projectId, asked.purpose), reply, asked);
  },
});

type NewAuthorizationRequest = AuthorizationRequest & OAuthUrls;

/** The cookie ties the authorization request to this browser. */
async function redirectToProvider(
  deps: Deps,
  context: Context,
  reply: FastifyReply,
  asked: NewAuthorizationRequest,
): Promise<Redirect> {
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
  return new Redirect(307, location);
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

function requestOf(asked: Asked, purpose: OAuthPurpose, provider: string): NewAuthorizationRequest {
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
async function clientOf(deps: Deps, query: AuthorizeQuery): Promise<{ projectId: string; project: Caller['project'] }> {
  const found = await projectOfClient(deps, query.client_id);
  if (!found) return reject('INVALID_OAUTH_CLIENT_ID_OR_SECRET', { client_id: query.client_id });
  const { projectId, access } = found;
  if (!isClientSecret(access, query.client_secret, Date.parse(deps.now()))) {
    reject('INVALID_PUBLISHABLE_CLIENT_KEY', { project_id: projectId });
  }
  return { projectId, project: access.project };
}

/** Reports errors that would occur at the end before redirecting to the provider (protocol, auth §8.3, step 10). */
function checkOuterRequest(
  request: FastifyRequest,
  project: Caller['project'],
  { scope, code_challenge_method: method }: AuthorizeQuery,
): void {
  if (scope !== 'legacy') reject('INVALID_SCOPE', { scope });
  if (method === 'plain' && project.isProductionMode) {
    rejectRequest(request, ['query.code_challenge_method: must be S256 for a project in production']);
  }
}

/**
 * For `link`, includes the user who links the account.
 * @throws DomainError UNPARSABLE_ACCESS_TOKEN, ACCESS_TOKEN_EXPIRED, OAUTH_LINK_OF_ANOTHER_PROJECT,
 * IMPERSONATION_NOT_ALLOWED, REAUTHENTICATION_REQUIRED
 */
async function purposeOf(
  deps: Deps,
  projectId: string,
  project: Caller['project'],
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
  checkSession('recent', session, Date.parse(deps.now()));
  const purpose = await linkPurposeOf(deps, token);
  return purpose ?? reject('ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
}

const scopesOf = (scope = '') => scope.split(' ').filter(Boolean);

/**
 * A script of another site can't set our cookie, so it gets one of our URLs. The browser opens it and is redirected
 * from there.
 */
const addressForBrowser = ({ config }: Pick<Deps, 'config'>, request: string) =>
  `${config.http.publicUrl}/api/v1/auth/oauth/requests/${request}`;
