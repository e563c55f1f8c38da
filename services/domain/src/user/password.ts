import { reject } from '../errors.ts';

/**
 * In code points, so that 64 characters fit in every script (ASVS 6.2.9); the protocol's reference counts UTF-16 units (auth §0.3).
 * That bounds a password by 280 bytes of UTF-8.
 */
export const passwordLength = { min: 8, max: 70 } as const;

/** What the published clients show, as it stands, where a password is rejected for being common. */
export const commonPasswordText = 'This password is on a list of common and breached passwords. Choose another one.';

/** The rule for a password that is being chosen. @throws DomainError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG */
export function checkNewPassword(password: string): void {
  if (lengthOf(password) < passwordLength.min) reject('PASSWORD_TOO_SHORT', { min_length: passwordLength.min });
  checkPasswordFits(password);
}

/** A server that sets a password is bound by the maximum alone. @throws DomainError PASSWORD_TOO_LONG */
export function checkPasswordFits(password: string): void {
  if (lengthOf(password) > passwordLength.max) reject('PASSWORD_TOO_LONG', { maxLength: passwordLength.max });
}

function lengthOf(password: string): number {
  // Only a text of at most twice as many units can fit; longer ones are not spread.
  return password.length > 2 * passwordLength.max ? password.length : [...password].length;
}

/** bcrypt in modular crypt format: version, cost, 22 characters of salt and 31 of hash. */
const bcryptHash = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const bcryptCost = { min: 4, max: 16 } as const;

/** A hash that a server brings along (protocol, resources §1.3). @throws DomainError PASSWORD_HASH_INVALID */
export function checkImportedHash(hash: string): void {
  const cost = Number(bcryptHash.exec(hash)?.[1] ?? 0);
  if (cost < bcryptCost.min || cost > bcryptCost.max) reject('PASSWORD_HASH_INVALID');
}
