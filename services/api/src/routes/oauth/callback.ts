import {
  findAuthorizationRequest,
  finishOAuth,
  type OpenAuthorizationRequest,
} from '@gatebook/commands/oauth/authorization-request';
import { CallbackForm, EmptyBody, ProviderPath } from '@gatebook/contract/oauth';
import { errorBody, rejections } from '@gatebook/contract/plain-errors';
import { DomainError, type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { cookieOf, setAuthorizationCookie } from '../../http/cookies.ts';
import { defineRoute, Redirect } from '../../http/define-route.ts';
import type { ProjectAccess } from '../../project-access-cache.ts';
import { oauthAccountErrors } from '../auth/errors.ts';
import {
  authorizationContext,
  callbackUrlOf,
  innerCookie,
  isSecureOrigin,
  isStateForm,
} from './authorization-context.ts';

const errors: readonly DomainErrorCode[] = [
  'QUOTA_EXCEEDED',
  'OAUTH_COOKIE_MISSING',
  'OAUTH_AUTHORIZATION_REQUEST_UNKNOWN',
  'OUTER_OAUTH_TIMEOUT',
  'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
  'OAUTH_PROVIDER_ACCESS_DENIED',
  'OAUTH_PROVIDER_CODE_REJECTED',
  'OAUTH_PROVIDER_KEYS_REJECTED',
  'OAUTH_PROVIDER_SCOPE_REJECTED',
  'OAUTH_PROVIDER_RESPONSE_INVALID',
  'OAUTH_PROVIDER_UNREACHABLE',
  'OAUTH_PROVIDER_EMAIL_MISSING',
  'REDIRECT_URL_NOT_WHITELISTED',
  ...oauthAccountErrors,
];

const description =
  'The provider redirects the browser here. Completes the authorization request, checks that the account can sign in or be linked, and redirects to the app with `code` and `state`, or to its error page with `errorCode`, `message` and `details`.';

/** (protocol, auth §8.3) */
export const oauthCallbackRoute = defineRoute({
  method: 'GET',
  path: '/auth/oauth/callback/:provider',
  access: 'anyone',
  limit: 'oauth',
  isNavigation: true,
  errors,
  tags: ['OAuth'],
  summary: 'Complete an OAuth sign-in',
  description,
  params: ProviderPath,
  response: { 303: EmptyBody, 307: EmptyBody },
  handle: async ({ deps, request, reply, params }) => {
    const result = await finish(deps, request, reply, params.provider);
    return new Redirect(result.isError ? 307 : 303, result.location, { position: result.position, body: {} });
  },
});

/** For providers that answer with a form. */
export const oauthFormCallbackRoute = defineRoute({
  method: 'POST',
  path: '/auth/oauth/callback/:provider',
  access: 'anyone',
  limit: 'oauth',
  isNavigation: true,
  errors,
  tags: ['OAuth'],
  summary: 'Complete an OAuth sign-in by form post',
  description,
  consumes: ['application/x-www-form-urlencoded'],
  params: ProviderPath,
  body: CallbackForm,
  response: { 303: EmptyBody, 307: EmptyBody },
  handle: async ({ deps, request, reply, params }) => {
    const { location, position } = await finish(deps, request, reply, params.provider);
    // Never 307, not even for an error: the browser would post the form again to the app.
    return new Redirect(303, location, { position, body: {} });
  },
});

type Finished = { location: string; position: bigint | null; isError: boolean };

async function finish(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  providerText: string,
): Promise<Finished> {
  const parameters = parametersOf(request);
  const state = takeState(deps, request, reply, parameters);
  const open = await findAuthorizationRequest(deps, state);
  const access = (await deps.projects.find(open.projectId)) ?? reject('OAUTH_AUTHORIZATION_REQUEST_UNKNOWN');
  try {
    if (open.isExpired) reject('OUTER_OAUTH_TIMEOUT');
    const { provider, purpose } = open.request;
    if (provider !== providerText.toLowerCase()) reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    const finished = await finishOAuth(deps, authorizationContext(request, open.projectId, purpose), {
      open,
      project: access.project,
      callbackUrl: callbackUrlOf(deps, provider),
      parameters,
    });
    return { ...finished, isError: false };
  } catch (error) {
    const location = error instanceof DomainError ? errorRedirectOf(error, open, access) : null;
    if (location === null) throw error;
    return { location, position: null, isError: true };
  }
}

/** Fields of the form override the query. Nested values are ignored. */
function parametersOf({ query, body }: FastifyRequest): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const part of [query, body]) {
    if (typeof part !== 'object' || part === null) continue;
    for (const [name, value] of Object.entries(part)) if (typeof value === 'string') parameters.set(name, value);
  }
  return parameters;
}

/**
 * Deletes the cookie in every response.
 * @throws DomainError OAUTH_COOKIE_MISSING for a missing state, or one of another browser
 */
function takeState(deps: Deps, request: FastifyRequest, reply: FastifyReply, parameters: URLSearchParams): string {
  const state = parameters.get('state') ?? '';
  if (!isStateForm(state)) return reject('OAUTH_COOKIE_MISSING');
  const name = innerCookie(deps, state);
  const isOfThisBrowser = cookieOf(request, name) === 'true';
  setAuthorizationCookie(reply, { name, value: '', seconds: 0, isSecure: isSecureOrigin(deps) });
  return isOfThisBrowser ? state : reject('OAUTH_COOKIE_MISSING');
}

/**
 * Redirects known errors to the app's error page if the project trusts its URL (protocol, auth §8.4).
 * @returns null if the error is the response
 */
function errorRedirectOf(
  { code, details }: DomainError,
  { urls: { errorRedirectUrl } }: OpenAuthorizationRequest,
  { project }: ProjectAccess,
): string | null {
  const rejection = rejections[code];
  if (!('details' in rejection) || errorRedirectUrl === null) return null;
  if (!isTrustedUrl(errorRedirectUrl, project.config)) return null;
  const body = errorBody(code, rejection, details);
  const location = new URL(errorRedirectUrl);
  location.searchParams.set('errorCode', code);
  location.searchParams.set('message', body.error);
  location.searchParams.set('details', JSON.stringify(body.details ?? {}));
  return location.href;
}
