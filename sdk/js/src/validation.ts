import { isKnownError } from './errors.ts';
import { fillText, type Translate } from './fill-text.ts';

/**
 * Limits for new passwords in code points (protocol, client §15); a project can raise the lower one. The server checks
 * them again.
 */
export const passwordLength = { min: 8, max: 70 } as const;

/** The rule for sign-in email addresses (protocol, conventions §5): a dot in the domain, no stray dots before the @. */
export function emailFault(email: string): string | null {
  const [local = '', domain = '', ...rest] = email.trim().split('@');
  const isFine =
    rest.length === 0 && /^[^\s.]+(\.[^\s.]+)*$/.test(local) && /^[^\s.@]+(\.[^\s.@]+)*\.[^\s.@\d]{2,}$/.test(domain);
  return isFine ? null : 'Enter a complete email address, like ann@example.com';
}

/** `minLength`: of the project. */
export function newPasswordFault(
  password: string,
  minLength: number = passwordLength.min,
  translate: Translate = fillText,
): string | null {
  const { length } = [...password];
  const { max } = passwordLength;
  if (length < minLength) return translate('Use at least {min} characters', { min: minLength });
  return length > max ? translate('Use at most {max} characters', { max }) : null;
}

/** The server's message for a password on its list of common and breached passwords. */
export const commonPasswordText = 'This password is on a list of common and breached passwords. Choose another one.';

/** The message for the password field after a rejection; null if the error is not about the password. */
export function rejectedPasswordFault(error: unknown): string | null {
  if (isKnownError(error, 'PASSWORD_REQUIREMENTS_NOT_MET')) return error.message;
  return isKnownError(error, 'SCHEMA_ERROR') && error.message === commonPasswordText ? commonPasswordText : null;
}

export function requiredFault(what: string): (text: string) => string | null {
  return (text) => (text.trim() === '' ? `Enter ${what}` : null);
}
