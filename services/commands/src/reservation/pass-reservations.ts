import { reservationDecider } from '@gatebook/domain/reservation/decide';
import type { UnitOfWork } from '../execute.ts';
import { emailReservation, emailValue } from './email.ts';
import { accountReservation, accountValue } from './oauth-account.ts';
import { passkeyReservation, passkeyValue } from './passkey.ts';
import { reserve, type UniqueValue } from './reservation.ts';

/** Addresses, a credential ID, and keyed hashes of accounts at providers. */
type UniqueValues = { emails: readonly string[]; passkey: string | null; accountRefs: readonly string[] };

/**
 * Passes unique values from one user to another, who uses them already: until then, they lead to the first one.
 * @throws DomainError if a third user has one by now, as when it is reserved
 */
export async function passReservations(
  work: UnitOfWork,
  { emails, passkey, accountRefs }: UniqueValues,
  { fromId, toId: holderId, at }: { fromId: string; toId: string; at: string },
): Promise<void> {
  const pass = async (stream: string, value: UniqueValue) => {
    const loaded = await work.load(reservationDecider, stream);
    loaded.decide({ type: 'ReleaseReservation', holderId: fromId, at });
    await reserve(work, loaded, { ...value, holderId, at });
  };
  for (const email of emails) await pass(emailReservation(work, email), emailValue(email));
  if (passkey !== null) await pass(passkeyReservation(work, passkey), passkeyValue(passkey));
  for (const ref of accountRefs) await pass(accountReservation(ref), accountValue(ref));
}
