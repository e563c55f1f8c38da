import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/** Quotas of things that are aggregates of their own, which nobody else counts. */
export const CountedQuota = z.enum([
  'teamsPerUser',
  'membershipsPerUser',
  'apiKeysPerUser',
  'apiKeysPerTeam',
  'projectKeys',
  'projectsPerOwner',
]);
export type CountedQuota = z.infer<typeof CountedQuota>;

/** What an owner (a user, team or project) has of things with a quota. */
export const quotaEvents = defineEvents({
  QuotaItemAdded: {
    version: 1,
    data: z.object({
      ownerId: z.string(),
      projectId: z.string(),
      quota: CountedQuota,
      itemId: z.string(),
      /** Items that are gone, and make room. */
      removedItemIds: z.array(z.string()),
      at: z.iso.datetime(),
    }),
  },
});
export type QuotaEvent = EventOf<typeof quotaEvents>;
