import { reject } from '../errors.ts';

/**
 * In code points, so that 64 characters fit in every script (ASVS 6.2.9); the protocol's reference counts UTF-16 units
 * (protocol, auth §0.3). Limits a password to 280 bytes of UTF-8.
 */
export const passwordLength = { min: 8, max: 70 } as const;

/** Published clients show this text unchanged when a password is rejected for being common. */
export const commonPasswordText = 'This password is on a list of common and breached passwords. Choose another one.';

/**
 * Checks a password that a user chooses, of at least `minLength` characters. @throws DomainError PASSWORD_TOO_SHORT,
 * PASSWORD_TOO_LONG
 */
export function checkNewPassword(password: string, minLength: number = passwordLength.min): void {
  if (lengthOf(password) < minLength) reject('PASSWORD_TOO_SHORT', { min_length: minLength });
  checkPasswordLength(password);
}

/** Checks a password that a server sets: only the maximum applies. @throws DomainError PASSWORD_TOO_LONG */
export function checkPasswordLength(password: string): void {
  if (lengthOf(password) > passwordLength.max) reject('PASSWORD_TOO_LONG', { maxLength: passwordLength.max });
}

function lengthOf(password: string): number {
  // A string of more than twice as many UTF-16 units is too long in any case, so do not spread it.
  return password.length > 2 * passwordLength.max ? password.length : [...password].length;
}
