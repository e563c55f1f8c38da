import { uuid } from '@gatebook/contract/common';
import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { z } from 'zod';
import { ownUser } from '../access.ts';
import type { Caller } from '../caller.ts';

/** A user in a path: an ID, or `me` for the signed-in user. */
export const pathUserId = z
  .union([z.literal('me'), uuid])
  .meta({ description: 'a UUID, or `me` for the signed-in user' });

/**
 * The user that a path names. Client access is limited to the signed-in user.
 * @throws DomainError CANNOT_GET_OWN_USER_WITHOUT_USER, and `rejection` for another user
 */
export function userIdOf(caller: Caller, id: string, rejection: DomainErrorCode): string {
  if (id === 'me') return ownUser(caller).id;
  if (caller.accessType === 'client' && ownUser(caller).id !== id) reject(rejection);
  return id;
}
