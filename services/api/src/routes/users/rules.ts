import type { OwnUserPatch } from '@gatebook/contract/users';
import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import type { Caller } from '../../caller.ts';
import type { RoleRule } from '../../roles.ts';

const imageData = /^data:image\/(png|jpe?g|gif|bmp|webp);base64,[a-z0-9+/]+={0,2}$/i;

/** Clients can only upload an image; servers can send any URL. @throws DomainError CLIENT_IMAGE_INVALID */
export function checkImage({ accessType }: Caller, image: string | null | undefined): void {
  if (accessType === 'client' && typeof image === 'string' && !imageData.test(image)) reject('CLIENT_IMAGE_INVALID');
}

/** Enabling passkeys requires a registration with an authenticator. @throws DomainError PASSKEY_NOT_SETTABLE */
export function checkPasskeySwitch({ passkey_auth_enabled }: OwnUserPatch): void {
  if (passkey_auth_enabled === true) reject('PASSKEY_NOT_SETTABLE');
}

/** With the fields that let a person sign in as the user. */
export const userPatchRole: RoleRule = {
  least: 'support',
  fields: {
    primary_email: 'developer',
    primary_email_auth_enabled: 'developer',
    password: 'developer',
    password_hash: 'developer',
    otp_auth_enabled: 'developer',
    totp_secret_base64: 'developer',
  },
};

export const userFieldErrors: readonly DomainErrorCode[] = [
  'CLIENT_IMAGE_INVALID',
  'EMAIL_FLAG_WITHOUT_EMAIL',
  'USER_EMAIL_ALREADY_EXISTS',
  'PASSWORD_AND_HASH',
  'PASSWORD_HASH_INVALID',
  'PASSWORD_TOO_LONG',
  'PASSWORD_METHOD_DISABLED',
  'OTP_METHOD_DISABLED',
];

export const userPatchErrors: readonly DomainErrorCode[] = [
  ...userFieldErrors,
  'PASSWORD_REQUIRES_PRIMARY_EMAIL',
  'PASSKEY_NOT_SETTABLE',
  'TEAM_MEMBERSHIP_NOT_FOUND',
];
