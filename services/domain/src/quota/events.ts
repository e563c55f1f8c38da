import { z } from 'zod';
import { defineEvents, type EventOf, type Upcast } from '../event.ts';

/** Quotas of items that are aggregates of their own, so no other stream counts them. */
export const CountedQuota = z.enum([
  'teamsPerUser',
  'membershipsPerUser',
  'apiKeysPerUser',
  'apiKeysPerTeam',
  'projectKeys',
  'projectsPerOwner',
  'webhookEndpoints',
]);
export type CountedQuota = z.infer<typeof CountedQuota>;

/** Version 1 lacks endpoints of webhooks. */
const unchanged: Upcast = (data) => data;

/** Items of an owner (a user, team or project) that count toward a quota. */
export const quotaEvents = defineEvents({
  QuotaItemAdded: {
    version: 2,
    data: z.object({
      ownerId: z.string(),
      projectId: z.string(),
      quota: CountedQuota,
      itemId: z.string(),
      /** Items that are gone and no longer count. */
      removedItemIds: z.array(z.string()),
      at: z.iso.datetime(),
    }),
    upcast: { 1: unchanged },
  },
});
export type QuotaEvent = EventOf<typeof quotaEvents>;
