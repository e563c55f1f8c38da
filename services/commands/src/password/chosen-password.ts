import { reject } from '@gatebook/domain/errors';
import { defaultProjectSettings, type ProjectSettings } from '@gatebook/domain/project/config';
import { checkNewPassword, commonPasswordText } from '@gatebook/domain/user/password';
import { isCommonPassword } from './common-passwords.ts';

/** Settings of the project; missing ones have the defaults of a new project. */
export type PasswordSettings = Partial<Pick<ProjectSettings, 'breachedPasswordsRejected' | 'minPasswordLength'>>;

/**
 * The policy for passwords that users choose; for passwords set by a server only the maximum length applies. Published
 * clients fail on unknown codes but show the message of SCHEMA_ERROR unchanged.
 * @throws DomainError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, SCHEMA_ERROR
 */
export async function checkChosenPassword(password: string, settings: PasswordSettings = {}): Promise<void> {
  const { breachedPasswordsRejected, minPasswordLength } = { ...defaultProjectSettings, ...settings };
  checkNewPassword(password, minPasswordLength);
  if (breachedPasswordsRejected && (await isCommonPassword(password))) {
    reject('SCHEMA_ERROR', { message: commonPasswordText });
  }
}
