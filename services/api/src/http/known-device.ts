import { findSignInUser } from '@gatebook/commands/reservation/email';
import { canonicalEmail } from '@gatebook/domain/user/email';
import { deviceOf } from '@gatebook/readmodel/sessions/device';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import { createLruCache } from '@gatebook/runtime/lru-cache';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { stackHeader } from './conventions.ts';
import { createDeviceLookups, type DeviceLookups } from './device-lookups.ts';
import { clientNetworkOf, fieldOf, type Name, nameOf, userOf } from './limit-keys.ts';

/** Replaces the user of an unknown email address, so that known and unknown addresses take the same number of reads. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** The account that a request names, if it exists, and evidence that the request comes from its owner. */
export type NamedAccount = { userId: string | null; device: Name | null };

/** Attackers repeat the same accounts, and every lookup reads the log twice. */
const rememberedMs = 5_000;
/** About 2,000 accounts. */
const maxRememberedBytes = 1024 * 1024;
const bytesPerAccount = 500;

type HasProven = (request: FastifyRequest, userId: string) => Promise<boolean>;
type Sources = Pick<Deps, 'db'> & { devices: DeviceLookups; hasProven: HasProven };
export type FindNamedAccount = (request: FastifyRequest) => Promise<NamedAccount>;

/**
 * Evidence is an active session (by refresh token), a device that the user signed in from before, or an address from
 * which the user recently redeemed an emailed code. It is looked up for each request. The account of an email address
 * is remembered for five seconds, whether or not it exists, so that a flood of rejected sign-ins does not read the log.
 */
export function createAccountFinder(
  deps: Pick<Deps, 'db' | 'store' | 'lookupHash' | 'now'>,
  hasProven: HasProven,
): FindNamedAccount {
  const sources = { db: deps.db, devices: createDeviceLookups(deps), hasProven };
  const remembered = createLruCache<{ userId: Promise<string | null>; until: number }>(maxRememberedBytes);

  function findUserId(projectId: string, email: string): Promise<string | null> {
    const key = JSON.stringify([projectId, canonicalEmail(email)]);
    const known = remembered.get(key);
    if (known && known.until > performance.now()) return known.userId;
    const userId = findSignInUser(deps, projectId, email).then((found) => found?.user.userId ?? null);
    userId.catch(() => remembered.delete(key));
    remembered.set(key, { userId, until: performance.now() + rememberedMs }, bytesPerAccount + 2 * key.length);
    return userId;
  }

  return async (request) => {
    const projectId = request.caller?.projectId;
    if (projectId === undefined) return { userId: null, device: null };
    const email = nameOf(fieldOf(request.body, 'email'));
    const userId = email ? await findUserId(projectId, email) : userOf(request);
    return { userId, device: await findEvidence(sources, request, projectId, userId ?? nobody) };
  };
}

async function findEvidence(
  { db, devices, hasProven }: Sources,
  request: FastifyRequest,
  projectId: string,
  userId: string,
): Promise<Name | null> {
  const refreshToken = stackHeader(request, 'refresh-token');
  if (refreshToken !== undefined) {
    const live = await findSessionByRefreshToken(db, projectId, sha256(refreshToken));
    // An impersonator is not the owner of the account.
    if (live?.user.id === userId && live.session.impersonation === null) return nameOf(live.session.id);
  }
  const device = deviceOf(request.endUser);
  if (device !== null && (await devices.isKnown(projectId, { userId, device }))) return nameOf(device);
  return (await hasProven(request, userId)) ? nameOf(clientNetworkOf(request)) : null;
}
