import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

const teamId = z.uuid();
const at = z.iso.datetime();
const metadata = z.json().nullable();
const TeamMetadataScope = z.enum(['client', 'client_read_only', 'server']);

/** Encrypted under the team's own key, which is destroyed with the team. */
export const teamEvents = defineEvents({
  TeamCreated: {
    version: 1,
    data: z.object({
      teamId,
      projectId: z.string(),
      /** Subject whose key encrypts this event: the team, or the user after whom a team created at sign-up is named. */
      subjectId: z.uuid(),
      displayName: z.string().nullable(),
      profileImageUrl: z.string().nullable(),
      clientMetadata: metadata,
      clientReadOnlyMetadata: metadata,
      serverMetadata: metadata,
      creatorId: z.uuid().nullable(),
      at,
    }),
    personal: {
      subject: 'subjectId',
      fields: ['displayName', 'profileImageUrl', 'clientMetadata', 'clientReadOnlyMetadata', 'serverMetadata'],
    },
    large: ['profileImageUrl', 'clientMetadata', 'clientReadOnlyMetadata', 'serverMetadata'],
  },
  TeamRenamed: {
    version: 1,
    data: z.object({ teamId, displayName: z.string().nullable(), at }),
    personal: { subject: 'teamId', fields: ['displayName'] },
  },
  TeamImageChanged: {
    version: 1,
    data: z.object({ teamId, profileImageUrl: z.string().nullable(), at }),
    personal: { subject: 'teamId', fields: ['profileImageUrl'] },
    large: ['profileImageUrl'],
  },
  TeamMetadataChanged: {
    version: 1,
    data: z.object({ teamId, scope: TeamMetadataScope, value: metadata, at }),
    personal: { subject: 'teamId', fields: ['value'] },
    large: ['value'],
  },
  /** The team counts as deleted, and can be restored until `deleteAt` (docs/decisions/0093). */
  TeamDeletionScheduled: { version: 1, data: z.object({ teamId, projectId: z.string(), deleteAt: at, at }) },
  TeamDeletionCanceled: { version: 1, data: z.object({ teamId, projectId: z.string(), at }) },
  TeamDeleted: {
    version: 2,
    data: z.object({
      teamId,
      projectId: z.string(),
      /** The team was deleted before, with a grace period. */
      wasScheduled: z.boolean(),
      at,
    }),
    upcast: { 1: (data) => ({ ...data, wasScheduled: false }) },
  },
});
export type TeamEvent = EventOf<typeof teamEvents>;
