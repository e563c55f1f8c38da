import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

const member = { teamId: z.uuid(), userId: z.uuid() };
const at = z.iso.datetime();
const inProject = { ...member, projectId: z.string() };

/** A user's membership of a team: profile and permissions. `permissionKey` is the key of a permission definition. */
export const membershipEvents = defineEvents({
  TeamMemberAdded: {
    version: 1,
    data: z.object({
      ...inProject,
      /** Keys of the permissions that the project grants to new members. */
      permissionKeys: z.array(z.string()),
      how: z.enum(['created', 'sign_up', 'added', 'invited']),
      at,
    }),
  },
  TeamMemberRemoved: { version: 1, data: z.object({ ...inProject, how: z.enum(['left', 'removed']), at }) },
  /** null: the value of the user's own profile applies. */
  TeamProfileChanged: {
    version: 1,
    data: z.object({
      ...member,
      displayName: z.string().nullable(),
      profileImageUrl: z.string().nullable(),
      at,
    }),
    personal: { subject: 'userId', fields: ['displayName', 'profileImageUrl'] },
    large: ['profileImageUrl'],
  },
  TeamPermissionGranted: { version: 1, data: z.object({ ...inProject, permissionKey: z.string(), at }) },
  TeamPermissionRevoked: { version: 1, data: z.object({ ...inProject, permissionKey: z.string(), at }) },
  /**
   * Recorded together with what the permission was used for, so that two members who remove each other conflict on one
   * of the streams.
   */
  TeamPermissionUsed: { version: 1, data: z.object({ ...member, permissionKey: z.string(), at }) },
});
export type MembershipEvent = EventOf<typeof membershipEvents>;
