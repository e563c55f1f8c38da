import { refuse } from '../errors.ts';

/** In UTF-16 units (protocol, conventions §5 and auth §0.3). */
export const passwordLength = { min: 8, max: 70 } as const;

/** The rule for a password that is being chosen. @throws DomainError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG */
export function checkNewPassword(password: string): void {
  if (password.length < passwordLength.min) refuse('PASSWORD_TOO_SHORT', { min_length: passwordLength.min });
  checkPasswordFits(password);
}

/** A server that sets a password is bound by the maximum alone. @throws DomainError PASSWORD_TOO_LONG */
export function checkPasswordFits(password: string): void {
  if (password.length > passwordLength.max) refuse('PASSWORD_TOO_LONG', { maxLength: passwordLength.max });
}

/** bcrypt in modular crypt format: version, cost, 22 characters of salt and 31 of hash. */
const bcryptHash = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const bcryptCost = { min: 4, max: 16 } as const;

/** A hash that a server brings along (protocol, resources §1.3). @throws DomainError PASSWORD_HASH_INVALID */
export function checkImportedHash(hash: string): void {
  const cost = Number(bcryptHash.exec(hash)?.[1] ?? 0);
  if (cost < bcryptCost.min || cost > bcryptCost.max) refuse('PASSWORD_HASH_INVALID');
}
