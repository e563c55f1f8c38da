import { DomainError, type DomainErrorCode } from '@gatebook/domain/errors';
import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';
import { noAnswer } from './token-answer.ts';

/** What a provider's word means to us (protocol, auth §8.3 step 5), with what some say instead of the standard's words. */
const meanings: Readonly<Record<string, DomainErrorCode>> = {
  access_denied: 'OAUTH_PROVIDER_ACCESS_DENIED',
  consent_required: 'OAUTH_PROVIDER_ACCESS_DENIED',
  // linkedin and apple, when the person turns back
  user_cancelled_login: 'OAUTH_PROVIDER_ACCESS_DENIED',
  user_cancelled_authorize: 'OAUTH_PROVIDER_ACCESS_DENIED',
  invalid_grant: 'OAUTH_PROVIDER_CODE_REJECTED',
  invalid_client: 'OAUTH_PROVIDER_KEYS_REJECTED',
  unauthorized_client: 'OAUTH_PROVIDER_KEYS_REJECTED',
  // github, about how the owner registered the application
  redirect_uri_mismatch: 'OAUTH_PROVIDER_KEYS_REJECTED',
  application_suspended: 'OAUTH_PROVIDER_KEYS_REJECTED',
  invalid_scope: 'OAUTH_PROVIDER_SCOPE_REJECTED',
  unauthorized_scope_error: 'OAUTH_PROVIDER_SCOPE_REJECTED',
  server_error: 'OAUTH_PROVIDER_UNREACHABLE',
  temporarily_unavailable: 'OAUTH_PROVIDER_UNREACHABLE',
};

/**
 * The rejection that a fault in a sign-in comes to. Whatever openid-client throws is about what the provider sent; its errors
 * hold codes and tokens, so nothing of them is passed on but a scope that the provider names.
 */
export function rejectionOf(error: unknown): DomainError {
  const own = ownRejection(error);
  if (own) return own;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const code = Object.hasOwn(meanings, error.error) ? meanings[error.error] : undefined;
    if (code === 'OAUTH_PROVIDER_SCOPE_REJECTED') return new DomainError(code, scopeIn(error.error_description));
    return new DomainError(code ?? 'OAUTH_PROVIDER_ANSWER_INVALID');
  }
  return new DomainError('OAUTH_PROVIDER_ANSWER_INVALID');
}

/** The rejection that a fault in a refresh comes to: the provider said no, or nothing that could be used. */
export function refreshRejectionOf(error: unknown): DomainError {
  const rejection = rejectionOf(error);
  if (rejection.code === 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED') return rejection;
  const isNo = error instanceof ResponseBodyError && error.error !== noAnswer;
  return new DomainError(
    isNo && rejection.code !== 'OAUTH_PROVIDER_UNREACHABLE' ? 'PROVIDER_REJECTED' : 'OAUTH_PROVIDER_UNREACHABLE',
  );
}

/** openid-client wraps what its `customFetch` throws. */
function ownRejection(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  return error instanceof Error && error.cause instanceof DomainError ? error.cause : null;
}

/** LinkedIn: `Scope "r_x" is not authorized for your application`. */
function scopeIn(description: string | undefined): { scope?: string } {
  const scope = /scope\W{1,3}([\w:./-]{1,200})\W/i.exec(description ?? '')?.[1];
  return scope === undefined ? {} : { scope };
}
