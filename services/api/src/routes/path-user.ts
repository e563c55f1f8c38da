import { uuid } from '@gatebook/contract/common';
import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { z } from 'zod';
import { ownUser } from '../access.ts';
import type { Caller } from '../caller.ts';

/** A user in a path: an id, or `me` for whoever is signed in. */
export const pathUserId = z
  .union([z.literal('me'), uuid])
  .meta({ description: 'a UUID, or `me` for the signed-in user' });

/**
 * The user that a path means. Client access may only mean itself.
 * @throws DomainError CANNOT_GET_OWN_USER_WITHOUT_USER, and `rejection` for anybody else
 */
export function userIdOf(caller: Caller, id: string, rejection: DomainErrorCode): string {
  if (id === 'me') return ownUser(caller).id;
  if (caller.accessType === 'client' && ownUser(caller).id !== id) reject(rejection);
  return id;
}
