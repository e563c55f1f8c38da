import { findSignInUser } from '@gatebook/commands/reservation/reservation';
import { deviceOf } from '@gatebook/readmodel/sessions/device';
import { findSessionByRefreshToken, isKnownDevice } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { stackHeader } from './conventions.ts';
import { clientNetworkOf, fieldOf, type Name, nameOf, userOf } from './limit-keys.ts';

/** Stands in for the user of an unknown email address, so that nobody takes as many reads as somebody. */
const nobody = '00000000-0000-0000-0000-000000000000';

/**
 * What shows that a request comes from the owner of the account it is about: a live session of theirs, by its refresh token, a device
 * that they signed in from before, or an address from which they proved lately to hold the mailbox. @returns its name; null for everybody else
 */
export async function findKnownDevice(
  deps: Pick<Deps, 'db' | 'store' | 'lookupHash' | 'now'>,
  request: FastifyRequest,
  hasProven: (request: FastifyRequest, userId: string) => Promise<boolean>,
): Promise<Name | null> {
  const projectId = request.caller?.projectId;
  if (projectId === undefined) return null;
  const email = nameOf(fieldOf(request.body, 'email'));
  const found = email ? (await findSignInUser(deps, projectId, email))?.user.userId : userOf(request);
  const userId = found ?? nobody;
  const refreshToken = stackHeader(request, 'refresh-token');
  if (refreshToken !== undefined) {
    const live = await findSessionByRefreshToken(deps.db, projectId, sha256(refreshToken));
    // Somebody who acts for the user is not the owner of the account.
    if (live?.user.id === userId && live.session.impersonation === null) return nameOf(live.session.id);
  }
  const device = deviceOf(request.endUser);
  if (await isKnownDevice(deps.db, projectId, userId, device)) return nameOf(device);
  return (await hasProven(request, userId)) ? nameOf(clientNetworkOf(request)) : null;
}
