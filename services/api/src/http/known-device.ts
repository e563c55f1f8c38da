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

/** The account that a request names, if it exists, and evidence that the request comes from its owner. */
export type NamedAccount = { userId: string | null; device: Name | null };

/**
 * Evidence is an active session (by refresh token), a device that the user signed in from before, or an address from
 * which the user recently redeemed an emailed code.
 */
export async function findNamedAccount(
  deps: Pick<Deps, 'db' | 'store' | 'lookupHash' | 'now'>,
  request: FastifyRequest,
  hasProven: (request: FastifyRequest, userId: string) => Promise<boolean>,
): Promise<NamedAccount> {
  const projectId = request.caller?.projectId;
  if (projectId === undefined) return { userId: null, device: null };
  const email = nameOf(fieldOf(request.body, 'email'));
  const found = email ? (await findSignInUser(deps, projectId, email))?.user.userId : userOf(request);
  return { userId: found ?? null, device: await findEvidence(deps, request, projectId, found ?? nobody, hasProven) };
}

async function findEvidence(
  deps: Pick<Deps, 'db'>,
  request: FastifyRequest,
  projectId: string,
  userId: string,
  hasProven: (request: FastifyRequest, userId: string) => Promise<boolean>,
): Promise<Name | null> {
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
