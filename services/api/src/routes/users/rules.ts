import type { OwnUserPatch } from '@gatebook/contract/users';
import { reject } from '@gatebook/domain/errors';
import type { Caller } from '../../caller.ts';

const imageData = /^data:image\/(png|jpe?g|gif|bmp|webp);base64,[a-z0-9+/]+={0,2}$/i;

/** People may only upload an image; servers may point anywhere. @throws DomainError CLIENT_IMAGE_INVALID */
export function checkImage({ accessType }: Caller, image: string | null | undefined): void {
  if (accessType === 'client' && typeof image === 'string' && !imageData.test(image)) reject('CLIENT_IMAGE_INVALID');
}

/** A passkey takes an authenticator to register. @throws DomainError PASSKEY_SET_BY_HAND */
export function checkPasskeySwitch({ passkey_auth_enabled }: OwnUserPatch): void {
  if (passkey_auth_enabled === true) reject('PASSKEY_SET_BY_HAND');
}
