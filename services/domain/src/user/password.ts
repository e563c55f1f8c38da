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
