import { passwordLength } from '@gatebook/domain/user/password';

let loading: Promise<ReadonlySet<string>> | undefined;

/**
 * Whether a password is on the list of common and breached passwords: offline, whatever its case, as a whole. A password that only
 * contains one of the list is not on it, nor is it scored (docs/decisions/0033).
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  loading ??= loadList();
  return (await loading).has(password.toLowerCase());
}

/** LoadedAggregate with the first password that is chosen: 3 MB that a process without sign-ups does not need. */
async function loadList(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const passwords: readonly unknown[] = dictionary['passwords-common'];
  // Shorter ones are rejected for their length.
  return new Set(passwords.map(String).filter((password) => password.length >= passwordLength.min));
}
