import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/** What a batch does to each of its users. `undo`: reverses what another batch did to them. */
export const UserBatchAction = z.enum([
  'restrict',
  'lift_restriction',
  'sign_out',
  'add_to_team',
  'grant_permission',
  'delete',
  'undo',
]);
export type UserBatchAction = z.infer<typeof UserBatchAction>;

/** `forbidden`: the member or the key that started it may no longer do what it does. */
export const UserBatchOutcome = z.enum(['completed', 'canceled', 'forbidden']);
export type UserBatchOutcome = z.infer<typeof UserBatchOutcome>;

const about = { batchId: z.uuid(), projectId: z.string() };
const at = z.iso.datetime();

export const userBatchEvents = defineEvents({
  /**
   * The list of users is a table, because it is only needed until the end. What changes is recorded by the events of
   * each user, which this one causes.
   */
  UserBatchStarted: {
    version: 1,
    data: z.object({
      ...about,
      action: UserBatchAction,
      /** Of a restriction; encrypted under a separate key, which is destroyed at the end. */
      reason: z.string().nullable(),
      teamId: z.uuid().nullable(),
      permissionId: z.string().nullable(),
      undoesBatchId: z.uuid().nullable().default(null),
      userCount: z.int(),
      at,
    }),
    personal: { subject: 'batchId', fields: ['reason'] },
  },
  UserBatchEnded: { version: 1, data: z.object({ ...about, outcome: UserBatchOutcome, at }) },
});
export type UserBatchEvent = EventOf<typeof userBatchEvents>;
