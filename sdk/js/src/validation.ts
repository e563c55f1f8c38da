import { isKnownError } from './errors.ts';

/** Limits of passwords that are chosen (client.md §15), in code points; the server decides in the end. */
export const passwordLength = { min: 8, max: 70 } as const;

/** Sign-in e-mail as conventions.md §5 has it: a dot in the domain, no stray dots before the @. */
export function emailFault(email: string): string | null {
  const [local = '', domain = '', ...rest] = email.trim().split('@');
  const isFine =
    rest.length === 0 && /^[^\s.]+(\.[^\s.]+)*$/.test(local) && /^[^\s.@]+(\.[^\s.@]+)*\.[^\s.@\d]{2,}$/.test(domain);
  return isFine ? null : 'Enter a complete email address, like ann@example.com';
}

export function newPasswordFault(password: string): string | null {
  const { length } = [...password];
  if (length < passwordLength.min) return `Use at least ${passwordLength.min} characters`;
  return length > passwordLength.max ? `Use at most ${passwordLength.max} characters` : null;
}

/** What the server says of a password that is on its list of common and breached ones. */
export const commonPasswordText = 'This password is on a list of common and breached passwords. Choose another one.';

/** What to say at the field of a chosen password that the server rejected; null when the error is not about the password. */
export function rejectedPasswordFault(error: unknown): string | null {
  if (isKnownError(error, 'PASSWORD_REQUIREMENTS_NOT_MET')) return error.message;
  return isKnownError(error, 'SCHEMA_ERROR') && error.message === commonPasswordText ? commonPasswordText : null;
}

export function requiredFault(what: string): (text: string) => string | null {
  return (text) => (text.trim() === '' ? `Enter ${what}` : null);
}
