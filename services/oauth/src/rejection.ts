import { DomainError, type DomainErrorCode } from '@gatebook/domain/errors';
import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';
import { invalidResponse } from './token-response.ts';

/** Domain errors by OAuth error code (protocol, auth §8.3, step 5), including nonstandard codes of some providers. */
const errorCodes: Readonly<Record<string, DomainErrorCode>> = {
  access_denied: 'OAUTH_PROVIDER_ACCESS_DENIED',
  consent_required: 'OAUTH_PROVIDER_ACCESS_DENIED',
  // linkedin and apple, when the user cancels
  user_cancelled_login: 'OAUTH_PROVIDER_ACCESS_DENIED',
  user_cancelled_authorize: 'OAUTH_PROVIDER_ACCESS_DENIED',
  invalid_grant: 'OAUTH_PROVIDER_CODE_REJECTED',
  invalid_client: 'OAUTH_PROVIDER_KEYS_REJECTED',
  unauthorized_client: 'OAUTH_PROVIDER_KEYS_REJECTED',
  // github, when the application is registered incorrectly
  redirect_uri_mismatch: 'OAUTH_PROVIDER_KEYS_REJECTED',
  application_suspended: 'OAUTH_PROVIDER_KEYS_REJECTED',
  invalid_scope: 'OAUTH_PROVIDER_SCOPE_REJECTED',
  unauthorized_scope_error: 'OAUTH_PROVIDER_SCOPE_REJECTED',
  server_error: 'OAUTH_PROVIDER_UNREACHABLE',
  temporarily_unavailable: 'OAUTH_PROVIDER_UNREACHABLE',
};

/**
 * Converts an error during sign-in to a domain error. Errors of openid-client are caused by what the provider sent.
 * They contain codes and tokens, so pass on nothing but the scope that the provider names.
 */
export function toRejection(error: unknown): DomainError {
  const domainError = findDomainError(error);
  if (domainError) return domainError;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const code = Object.hasOwn(errorCodes, error.error) ? errorCodes[error.error] : undefined;
    if (code === 'OAUTH_PROVIDER_SCOPE_REJECTED') return new DomainError(code, extractScope(error.error_description));
    return new DomainError(code ?? 'OAUTH_PROVIDER_RESPONSE_INVALID');
  }
  return new DomainError('OAUTH_PROVIDER_RESPONSE_INVALID');
}

/** Converts an error during a refresh: the provider rejected it, or sent nothing usable. */
export function toRefreshRejection(error: unknown): DomainError {
  const rejection = toRejection(error);
  if (rejection.code === 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED') return rejection;
  const isRejected = error instanceof ResponseBodyError && error.error !== invalidResponse;
  return new DomainError(
    isRejected && rejection.code !== 'OAUTH_PROVIDER_UNREACHABLE' ? 'PROVIDER_REJECTED' : 'OAUTH_PROVIDER_UNREACHABLE',
  );
}

/** openid-client wraps what its `customFetch` throws. */
function findDomainError(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  return error instanceof Error && error.cause instanceof DomainError ? error.cause : null;
}

/** LinkedIn: `Scope "r_x" is not authorized for your application`. */
function extractScope(description: string | undefined): { scope?: string } {
  const scope = /scope\W{1,3}([\w:./-]{1,200})\W/i.exec(description ?? '')?.[1];
  return scope === undefined ? {} : { scope };
}
