import type { DomainErrorCode } from '@gatebook/domain/errors';

/** Errors of calls that redeem or check a one-time code. */
export const codeErrors: readonly DomainErrorCode[] = [
  'VERIFICATION_CODE_NOT_FOUND',
  'VERIFICATION_CODE_EXPIRED',
  'VERIFICATION_CODE_ALREADY_USED',
  'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED',
];

/** Errors of a sign-in after its first factor. */
export const sessionErrors: readonly DomainErrorCode[] = [
  'RESTRICTED_USER_NOT_ALLOWED',
  'MULTI_FACTOR_AUTHENTICATION_REQUIRED',
];

export const newPasswordErrors: readonly DomainErrorCode[] = ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG'];

/** Errors of signing up, signing in and linking through an OAuth provider. */
export const oauthAccountErrors: readonly DomainErrorCode[] = [
  'USER_NOT_FOUND',
  'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED',
  'USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION',
  'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER',
  'SIGN_UP_NOT_ENABLED',
  'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
];
