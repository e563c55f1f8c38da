import { reject } from '../errors.ts';

/**
 * In code points, so that 64 characters fit in every script (ASVS 6.2.9); the protocol's reference counts UTF-16 units
 * (protocol, auth §0.3). Limits a password to 280 bytes of UTF-8.
 */
export const passwordLength = { min: 8, max: 70 } as const;

/** Published clients show this text unchanged when a password is rejected for being common. */
export const commonPasswordText = 'This password is on a list of common and breached passwords. Choose another one.';

/** Checks a password that a user chooses. @throws DomainError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG */
export function checkNewPassword(password: string): void {
  if (lengthOf(password) < passwordLength.min) reject('PASSWORD_TOO_SHORT', { min_length: passwordLength.min });
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

/** bcrypt in modular crypt format: version, cost, 22 characters of salt and 31 of hash. */
const bcryptHash = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const bcryptCost = { min: 4, max: 16 } as const;

/** Checks a hash that a server imports (protocol, resources §1.3). @throws DomainError PASSWORD_HASH_INVALID */
export function checkImportedHash(hash: string): void {
  const cost = Number(bcryptHash.exec(hash)?.[1] ?? 0);
  if (cost < bcryptCost.min || cost > bcryptCost.max) reject('PASSWORD_HASH_INVALID');
}
