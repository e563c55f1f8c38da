import {
  findAuthorizationRequest,
  finishOAuth,
  type OpenAuthorizationRequest,
} from '@gatebook/commands/oauth/authorization-request';
import { CallbackForm, EmptyBody, ProviderPath } from '@gatebook/contract/oauth';
import { errorBody, rejections } from '@gatebook/contract/plain-errors';
import { DomainError, reject } from '@gatebook/domain/errors';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../deps.ts';
import { cookieOf, setAuthorizationCookie } from '../../http/cookies.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import type { ProjectAccess } from '../../project-access-cache.ts';
import {
  authorizationContext,
  callbackUrlOf,
  innerCookie,
  isSecureOrigin,
  isStateForm,
} from './authorization-context.ts';

const shared = {
  tags: ['OAuth'],
  description:
    'For browsers, by way of the provider: ends the visit, checks that the account may sign in or be linked, and redirects to the app with `code` and `state`, or to its error page with `errorCode`, `message` and `details`.',
  params: ProviderPath,
  response: { 303: EmptyBody, 307: EmptyBody },
};

/** Protocol, auth §8.3. By POST where a provider answers with a form. */
export const oauthCallbackRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/auth/oauth/callback/:provider', {
      config: { limitedAs: 'oauth', isNavigation: true },
      schema: { ...shared, summary: 'Come back from a sign-in provider' },
      handler: async (request, reply) => {
        const { status, location } = await answerProvider(deps, request, reply, request.params.provider);
        return reply.code(status).header('location', location).send({});
      },
    });
    app.post('/auth/oauth/callback/:provider', {
      config: { limitedAs: 'oauth', isNavigation: true },
      schema: {
        ...shared,
        summary: 'Come back from a sign-in provider that answers with a form',
        consumes: ['application/x-www-form-urlencoded'],
        body: CallbackForm,
      },
      handler: async (request, reply) => {
        const { location } = await answerProvider(deps, request, reply, request.params.provider);
        // Even a wrong turn: the browser must not post the form again to the app.
        return reply.code(303).header('location', location).send({});
      },
    });
  };

async function answerProvider(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  providerText: string,
): Promise<{ status: 303 | 307; location: string }> {
  const parameters = parametersOf(request);
  const state = takeState(deps, request, reply, parameters);
  const open = await findAuthorizationRequest(deps, state);
  const access = (await deps.projects.find(open.projectId)) ?? reject('OAUTH_AUTHORIZATION_REQUEST_UNKNOWN');
  try {
    if (open.isExpired) reject('OUTER_OAUTH_TIMEOUT');
    const { provider, purpose } = open.flow;
    if (provider !== providerText.toLowerCase()) reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    const { location, position } = await finishOAuth(deps, authorizationContext(request, open.projectId, purpose), {
      open,
      project: access.project,
      callbackUrl: callbackUrlOf(deps, provider),
      parameters,
    });
    await waitFor(deps, reply, position);
    return { status: 303, location };
  } catch (error) {
    const location = error instanceof DomainError ? errorRedirectOf(error, open, access) : null;
    if (location === null) throw error;
    return { status: 307, location };
  }
}

/** The form goes over the query. Nested values are no parameters. */
function parametersOf({ query, body }: FastifyRequest): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const part of [query, body]) {
    if (typeof part !== 'object' || part === null) continue;
    for (const [name, value] of Object.entries(part)) if (typeof value === 'string') parameters.set(name, value);
  }
  return parameters;
}

/** The cookie is taken away in every answer. @throws DomainError OAUTH_COOKIE_MISSING for a state of another browser, or none */
function takeState(deps: Deps, request: FastifyRequest, reply: FastifyReply, parameters: URLSearchParams): string {
  const state = parameters.get('state') ?? '';
  if (!isStateForm(state)) return reject('OAUTH_COOKIE_MISSING');
  const name = innerCookie(deps, state);
  const isOfThisBrowser = cookieOf(request, name) === 'true';
  setAuthorizationCookie(reply, { name, value: '', seconds: 0, isSecure: isSecureOrigin(deps) });
  return isOfThisBrowser ? state : reject('OAUTH_COOKIE_MISSING');
}

/** Known errors go to the app's error page, where it is one of the project's (protocol, auth §8.4); null: they are the answer. */
function errorRedirectOf(
  { code, details }: DomainError,
  { addresses: { errorRedirectUrl } }: OpenAuthorizationRequest,
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
