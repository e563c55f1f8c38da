import { reject } from '@gatebook/domain/errors';
import { defaultProjectSettings, type ProjectSettings } from '@gatebook/domain/project/config';
import { checkNewPassword, commonPasswordText } from '@gatebook/domain/user/password';
import { isCommonPassword } from './common-passwords.ts';

/** Of the project; what is left out is as in a new project. */
export type PasswordSettings = Partial<Pick<ProjectSettings, 'breachedPasswordsRejected'>>;

/**
 * The policy for a password that a person chooses; a server that sets one is bound by the maximum alone. Published clients would fail
 * on a code that they do not know, and show the message of SCHEMA_ERROR as it is.
 * @throws DomainError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, SCHEMA_ERROR
 */
export async function checkChosenPassword(
  password: string,
  { breachedPasswordsRejected = defaultProjectSettings.breachedPasswordsRejected }: PasswordSettings = {},
): Promise<void> {
  checkNewPassword(password);
  if (breachedPasswordsRejected && (await isCommonPassword(password))) {
    reject('SCHEMA_ERROR', { message: commonPasswordText });
  }
}
