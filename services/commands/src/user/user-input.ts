import { reject } from '@gatebook/domain/errors';
import type { UserEvent } from '@gatebook/domain/user/events';
import { checkImportedHash } from '@gatebook/domain/user/password';

type Json = Extract<UserEvent, { type: 'UserMetadataChanged' }>['data']['value'];

/** What a server may say of a user; undefined leaves (update) or means the default (create). */
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
  /** bcrypt, from elsewhere; never together with a password. */
  passwordHash?: string;
  otpAuthEnabled?: boolean;
  /** Only `false` has an effect, on an update: the passkey is removed. */
  passkeyAuthEnabled?: boolean;
  /** base64; null switches the second factor off. */
  totpSecret?: string | null;
  /** On an update only `false`: an anonymous user becomes a normal one. */
  isAnonymous?: boolean;
  /** On an update only; null: none any more. */
  selectedTeamId?: string | null;
};

/** Even no password is one too many beside a hash. @throws DomainError PASSWORD_AND_HASH, PASSWORD_HASH_INVALID */
export function checkPasswordInput({ password, passwordHash }: UserInput): void {
  if (passwordHash === undefined) return;
  if (password !== undefined) reject('PASSWORD_AND_HASH');
  checkImportedHash(passwordHash);
}
