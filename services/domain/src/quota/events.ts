import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/** Quotas of items that are aggregates of their own, so no other stream counts them. */
export const CountedQuota = z.enum([
  'teamsPerUser',
  'membershipsPerUser',
  'apiKeysPerUser',
  'apiKeysPerTeam',
  'projectKeys',
  'projectsPerOwner',
]);
export type CountedQuota = z.infer<typeof CountedQuota>;

/** Items of an owner (a user, team or project) that count toward a quota. */
export const quotaEvents = defineEvents({
  QuotaItemAdded: {
    version: 1,
    data: z.object({
      ownerId: z.string(),
      projectId: z.string(),
      quota: CountedQuota,
      itemId: z.string(),
      /** Items that are gone and no longer count. */
      removedItemIds: z.array(z.string()),
      at: z.iso.datetime(),
    }),
  },
});
export type QuotaEvent = EventOf<typeof quotaEvents>;
