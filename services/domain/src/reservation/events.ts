import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

export const ReservationKind = z.enum(['email', 'passkey', 'oauth']);
export type ReservationKind = z.infer<typeof ReservationKind>;

/** A unique value of a project. The value is not stored: the name of the stream is its keyed hash. */
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
   * All codes and emails sent to an email address, such as invitations, are erased up to this event. Recorded in the
   * stream of the address's reservation, whether or not it is reserved. `addressRef` is the keyed hash in the name of
   * the stream.
   */
  AddressErased: {
    version: 1,
    data: z.object({ addressRef: z.string(), projectId: z.string(), at: z.iso.datetime() }),
  },
});
export type ReservationEvent = EventOf<typeof reservationEvents>;
