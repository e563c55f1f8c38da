import { reservationDecider } from '@gatebook/domain/reservation/decide';
import { existingUser } from '@gatebook/domain/user/state';
import type { WriteDeps } from '../deps.ts';
import type { UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';
import {
  type FoundUser,
  findHolder,
  type Holder,
  release,
  reserve,
  type StreamScope,
  type UniqueValue,
} from './reservation.ts';

type PasskeyReservation = Holder & { credentialId: string };

export const passkeyValue = (credentialId: string): UniqueValue => ({
  kind: 'passkey',
  usesValue: (user) => existingUser(user)?.passkey?.credentialId === credentialId,
  rejection: {
    code: 'PASSKEY_REGISTRATION_FAILED',
    details: { message: 'The passkey belongs to another user.' },
  },
});

export function passkeyReservation({ deps, ctx }: StreamScope, credentialId: string): string {
  return streamOf.reservation('passkey', deps.lookupHash('passkey', ctx.projectId, credentialId));
}

/** Reserves a credential for the holder. @throws DomainError PASSKEY_REGISTRATION_FAILED when another user has it */
export async function reservePasskey(
  work: UnitOfWork,
  { credentialId, ...reservation }: PasskeyReservation,
): Promise<void> {
  const stream = passkeyReservation(work, credentialId);
  const loaded = await work.load(reservationDecider, stream);
  await reserve(work, loaded, { ...passkeyValue(credentialId), ...reservation });
}

/** Does nothing if the reservation is not the holder's. */
export async function releasePasskey(
  work: UnitOfWork,
  { credentialId, ...reservation }: PasskeyReservation,
): Promise<void> {
  await release(work, passkeyReservation(work, credentialId), reservation);
}

export async function findPasskeyUser(
  deps: Pick<WriteDeps, 'store' | 'lookupHash'>,
  projectId: string,
  credentialId: string,
): Promise<FoundUser | null> {
  const stream = passkeyReservation({ deps, ctx: { projectId } }, credentialId);
  return findHolder(deps, stream, passkeyValue(credentialId).usesValue);
}
