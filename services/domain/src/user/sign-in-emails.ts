import { canonicalEmail } from './email.ts';
import { existingUser, type UserState } from './state.ts';

/**
 * Addresses that are reserved for the user to sign in with: canonical form to the address as entered. A user who awaits
 * deletion keeps them.
 */
export function signInEmails(state: UserState): ReadonlyMap<string, string> {
  const emails = new Map<string, string>();
  for (const { value, usedForAuth } of existingUser(state)?.channels ?? []) {
    if (usedForAuth && value !== null) emails.set(canonicalEmail(value), value);
  }
  return emails;
}

export function signsInWith(state: UserState, email: string): boolean {
  return signInEmails(state).has(canonicalEmail(email));
}
