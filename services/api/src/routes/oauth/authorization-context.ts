import type { Context } from '@gatebook/commands/deps';
import type { AuthorizationRequest } from '@gatebook/domain/code/oauth';
import { reject } from '@gatebook/domain/errors';
import type { ProjectConfig } from '@gatebook/domain/project/config';
import type { FastifyRequest } from 'fastify';
import { requestContext } from '../../context.ts';
import type { Deps } from '../../deps.ts';

/** Ten minutes: the lifetime of an authorization request and its cookie (protocol, auth §8.1). */
export const authorizationRequestSeconds = 600;

/** One of our states. Other text must not get into the name of a cookie. */
export const isStateForm = (text: string) => /^[\w-]{43}$/.test(text);
export const isSecureOrigin = ({ config }: Pick<Deps, 'config'>) => config.http.publicUrl.startsWith('https:');
/**
 * Over HTTPS, the prefix prevents other sites of the domain from setting the cookie (RFC 6265bis §4.1.3.2). Scripts
 * can't read it.
 */
export const innerCookie = (deps: Pick<Deps, 'config'>, state: string) =>
  `${isSecureOrigin(deps) ? '__Host-' : ''}stack-oauth-inner-${state}`;

/** The callback URL that is registered at the provider. */
export function callbackUrlOf({ config }: Pick<Deps, 'config'>, provider: string): string {
  return `${config.http.publicUrl}/api/v1/auth/oauth/callback/${provider}`;
}

/** @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED */
export function providerIn({ oauthProviders }: ProjectConfig, text: string): string {
  const found = oauthProviders.find(({ id }) => id === text.toLowerCase());
  return found?.id ?? reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
}

/** Browsers send no keys. The authorization request identifies the project and the user who links an account. */
export function authorizationContext(
  request: FastifyRequest,
  projectId: string,
  purpose: AuthorizationRequest['purpose'],
): Context {
  const actor =
    purpose.type === 'link' ? ({ kind: 'user', id: purpose.userId } as const) : ({ kind: 'client', id: null } as const);
  return { ...requestContext(request), idempotencyHash: null, projectId, actor };
}
