import { findSignInUser } from '@gatebook/commands/reservation/reservation';
import { deviceOf } from '@gatebook/readmodel/sessions/device';
import { findSessionByRefreshToken, isKnownDevice } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { stackHeader } from './conventions.ts';
import { clientNetworkOf, fieldOf, type Name, nameOf, userOf } from './limit-keys.ts';

/** Replaces the user of an unknown email address, so that known and unknown addresses take the same number of reads. */
const nobody = '00000000-0000-0000-0000-000000000000';

/**
 * Evidence that a request comes from the owner of the account: an active session (by refresh token), a device that the
 * user signed in from before, or an address from which the user recently redeemed an emailed code.
 * @returns the name of the evidence; null without any
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
    // An impersonator is not the owner of the account.
    if (live?.user.id === userId && live.session.impersonation === null) return nameOf(live.session.id);
  }
  const device = deviceOf(request.endUser);
  if (await isKnownDevice(deps.db, projectId, userId, device)) return nameOf(device);
  return (await hasProven(request, userId)) ? nameOf(clientNetworkOf(request)) : null;
}
