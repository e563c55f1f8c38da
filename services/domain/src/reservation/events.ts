import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

export const ReservationKind = z.enum(['email', 'passkey', 'oauth']);
export type ReservationKind = z.infer<typeof ReservationKind>;

/** A unique value of a project. The value itself stands nowhere: the stream's name is its keyed hash. */
export const reservationEvents = defineEvents({
  ValueReserved: {
    version: 1,
    data: z.object({
      kind: ReservationKind,
      projectId: z.string(),
      holderId: z.uuid(),
      at: z.iso.datetime(),
    }),
  },
  ReservationReleased: {
    version: 1,
    data: z.object({ holderId: z.uuid(), at: z.iso.datetime() }),
  },
  /**
   * Everything that was recorded about an e-mail address, beside its user, is erased up to here: invitations and mails to it. Stands in
   * the stream of the address's reservation, whether anybody holds that or not. `addressRef` is the keyed hash in the stream's name.
   */
  AddressErased: {
    version: 1,
    data: z.object({ addressRef: z.string(), projectId: z.string(), at: z.iso.datetime() }),
  },
});
export type ReservationEvent = EventOf<typeof reservationEvents>;
