import { errorText } from '@gatebook/js/error-text';
import { isKnownError } from '@gatebook/js/errors';

/** Why a code from a mail does not do; null when the error says something else. */
export function codeFault(error: unknown): 'invalid' | 'expired' | 'used' | null {
  if (isKnownError(error, 'VERIFICATION_CODE_NOT_FOUND', 'SCHEMA_ERROR')) return 'invalid';
  if (isKnownError(error, 'VERIFICATION_CODE_EXPIRED', 'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED')) return 'expired';
  return isKnownError(error, 'VERIFICATION_CODE_ALREADY_USED') ? 'used' : null;
}

/** What to say below the six characters; null when the error is not about them. */
export function typedCodeFault(error: unknown): string | null {
  if (isKnownError(error, 'VERIFICATION_CODE_NOT_FOUND'))
    return 'This is not the code of the newest mail. Check it again';
  if (isKnownError(error, 'VERIFICATION_CODE_EXPIRED')) return 'This code has expired. Ask for a new one';
  if (isKnownError(error, 'VERIFICATION_CODE_ALREADY_USED')) return 'This code was used already. Ask for a new one';
  if (isKnownError(error, 'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED')) return 'Too many tries. Ask for a new code';
  return null;
}

/** What to say at the e-mail field; null when the error is not about the address. */
export function addressFault(error: unknown): string | null {
  if (isKnownError(error, 'EMAIL_PASSWORD_MISMATCH')) return 'The e-mail or the password is wrong';
  if (isKnownError(error, 'USER_EMAIL_ALREADY_EXISTS')) return 'There is an account with this address already';
  if (isKnownError(error, 'SIGN_UP_NOT_ENABLED')) {
    return 'Nobody signs in with this address, and sign-up is closed. Ask the people who run this site';
  }
  return null;
}

/** A failed passkey in words. */
export function passkeyText(error: unknown): string {
  if (isKnownError(error, 'PASSKEY_AUTHENTICATION_FAILED')) {
    return 'This passkey is not known here. Sign in another way.';
  }
  if (!isKnownError(error, 'PASSKEY_WEBAUTHN_ERROR')) return errorText(error);
  const { code } = error.details;
  if (code === 'NotAllowedError' || code === 'ERROR_CEREMONY_ABORTED') {
    return 'No passkey was used: the request was cancelled or timed out.';
  }
  if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID') {
    return 'Passkeys do not work at this address of the site. Sign in another way.';
  }
  return 'Your browser could not use a passkey. Sign in another way.';
}
