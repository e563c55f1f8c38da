import { isKnownError } from '@gatebook/js/errors';
import type { PlainText } from '../texts/texts.ts';
import type { Texts } from '../texts/use-texts.ts';

/** Why a code from an email was rejected; null for other errors. */
export function codeFault(error: unknown): 'invalid' | 'expired' | 'used' | null {
  if (isKnownError(error, 'VERIFICATION_CODE_NOT_FOUND', 'SCHEMA_ERROR')) return 'invalid';
  if (isKnownError(error, 'VERIFICATION_CODE_EXPIRED', 'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED')) return 'expired';
  return isKnownError(error, 'VERIFICATION_CODE_ALREADY_USED') ? 'used' : null;
}

/** The message for a rejected six-character code; null for other errors. */
export function typedCodeFault(error: unknown): PlainText | null {
  if (isKnownError(error, 'VERIFICATION_CODE_NOT_FOUND')) return 'Incorrect code. Use the code from the latest email';
  if (isKnownError(error, 'VERIFICATION_CODE_EXPIRED')) return 'This code has expired. Request a new one';
  if (isKnownError(error, 'VERIFICATION_CODE_ALREADY_USED'))
    return 'This code has already been used. Request a new one';
  if (isKnownError(error, 'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED')) return 'Too many attempts. Request a new code';
  return null;
}

/** The message for the email field; null if the error is about something else. */
export function addressFault(error: unknown): PlainText | null {
  if (isKnownError(error, 'EMAIL_PASSWORD_MISMATCH')) return 'Incorrect email or password';
  if (isKnownError(error, 'USER_EMAIL_ALREADY_EXISTS')) return 'An account with this email already exists';
  if (isKnownError(error, 'SIGN_UP_NOT_ENABLED')) {
    return 'No account uses this address, and sign-up is closed. Contact the site owner';
  }
  return null;
}

export function passkeyText({ t, errorText }: Texts, error: unknown): string {
  if (isKnownError(error, 'PASSKEY_AUTHENTICATION_FAILED')) {
    return t('This passkey is not registered here. Sign in another way.');
  }
  if (!isKnownError(error, 'PASSKEY_WEBAUTHN_ERROR')) return errorText(error);
  const { code } = error.details;
  if (code === 'NotAllowedError' || code === 'ERROR_CEREMONY_ABORTED') {
    return t('The passkey request was canceled or timed out.');
  }
  if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID') {
    return t('Passkeys do not work at this site address. Sign in another way.');
  }
  return t('Your browser could not use a passkey. Sign in another way.');
}
