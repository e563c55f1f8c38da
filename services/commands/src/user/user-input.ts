import { reject } from '@gatebook/domain/errors';
import type { UserCommand } from '@gatebook/domain/user/decide';
import type { RiskScores, UserEvent } from '@gatebook/domain/user/events';
import { checkImportedHash } from '@gatebook/domain/user/imported-hash';

type Json = Extract<UserEvent, { type: 'UserMetadataChanged' }>['data']['value'];

/** User fields that a server may set. undefined: unchanged on update, default on create. */
export type UserInput = {
  displayName?: string | null;
  profileImageUrl?: string | null;
  clientMetadata?: Json;
  clientReadOnlyMetadata?: Json;
  serverMetadata?: Json;
  primaryEmail?: string | null;
  primaryEmailVerified?: boolean;
  primaryEmailAuthEnabled?: boolean;
  /** null removes the password. */
  password?: string | null;
  /** Imported hash; never together with a password. */
  passwordHash?: string;
  otpAuthEnabled?: boolean;
  /** Only `false` on an update has an effect: it removes the passkey. */
  passkeyAuthEnabled?: boolean;
  /** base64; null turns the second factor off. */
  totpSecret?: string | null;
  /** On an update only `false`, which turns an anonymous user into a regular one. */
  isAnonymous?: boolean;
  /** true: the user can't sign in. The texts of a restriction that is lifted are removed. */
  restrictedByAdmin?: boolean;
  restrictedByAdminReason?: string | null;
  /** For servers only. */
  restrictedByAdminPrivateDetails?: string | null;
  countryCode?: string | null;
  riskScores?: RiskScores;
  /** On an update only. null: no team is selected. */
  selectedTeamId?: string | null;
};

/** A hash excludes even a null password. @throws DomainError PASSWORD_AND_HASH, PASSWORD_HASH_INVALID */
export function checkPasswordInput({ password, passwordHash }: UserInput): void {
  if (passwordHash === undefined) return;
  if (password !== undefined) reject('PASSWORD_AND_HASH');
  checkImportedHash(passwordHash);
}

/** Commands for the fields that only servers set. */
export function toAdminFieldCommands(input: Omit<UserInput, 'passwordHash'>, at: string): UserCommand[] {
  const { countryCode, riskScores, restrictedByAdmin: isRestricted } = input;
  const { restrictedByAdminReason: reason, restrictedByAdminPrivateDetails: privateDetails } = input;
  const commands: UserCommand[] = [];
  if (countryCode !== undefined) commands.push({ type: 'ChangeCountryCode', countryCode, at });
  if (riskScores !== undefined) commands.push({ type: 'ChangeRiskScores', riskScores, at });
  if (isRestricted !== undefined || reason !== undefined || privateDetails !== undefined) {
    commands.push({ type: 'ChangeAdminRestriction', isRestricted, reason, privateDetails, at });
  }
  return commands;
}
