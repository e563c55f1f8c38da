import { canonicalEmail } from './email.ts';
import type { UserState } from './state.ts';

/** Addresses that the user signs in with: canonical form to the address as entered. */
export function signInEmails(state: UserState): ReadonlyMap<string, string> {
  const emails = new Map<string, string>();
  if (state.status !== 'active') return emails;
  for (const { value, usedForAuth } of state.channels) {
    if (usedForAuth && value !== null) emails.set(canonicalEmail(value), value);
  }
  return emails;
}

export function signsInWith(state: UserState, email: string): boolean {
  return signInEmails(state).has(canonicalEmail(email));
}
