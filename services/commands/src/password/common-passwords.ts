import { passwordLength } from '@gatebook/domain/user/password';
import { loadOnce } from '@gatebook/runtime/load-once';

/** Loaded on first use: 3 MB that a process without sign-ups does not need. */
const commonPasswords = loadOnce(loadList);

/**
 * Whether a password is on the offline list of common and breached passwords, compared as a whole and without case.
 * Passwords that only contain an entry pass, and there is no strength score (docs/decisions/0033).
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  return (await commonPasswords()).has(password.toLowerCase());
}

async function loadList(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const passwords: readonly unknown[] = dictionary['passwords-common'];
  // Shorter passwords are rejected for their length.
  return new Set(passwords.map(String).filter((password) => password.length >= passwordLength.min));
}
