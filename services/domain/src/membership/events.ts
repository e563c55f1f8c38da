import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

const member = { teamId: z.uuid(), userId: z.uuid() };
const at = z.iso.datetime();
const inProject = { ...member, projectId: z.string() };

/** A user in a team: who they are there, and what they may do. `permission` is the key of a definition. */
export const membershipEvents = defineEvents({
  TeamMemberAdded: {
    version: 1,
    data: z.object({
      ...inProject,
      /** What the project grants by default, with the membership. */
      permissions: z.array(z.string()),
      how: z.enum(['created', 'sign_up', 'added', 'invited']),
      at,
    }),
  },
  TeamMemberRemoved: { version: 1, data: z.object({ ...inProject, how: z.enum(['left', 'removed']), at }) },
  /** null: as the user is called, and looks, everywhere else. */
  TeamProfileChanged: {
    version: 1,
    data: z.object({
      ...member,
      displayName: z.string().nullable(),
      profileImageUrl: z.string().nullable(),
      at,
    }),
    personal: { subject: 'userId', fields: ['displayName', 'profileImageUrl'] },
  },
  TeamPermissionGranted: { version: 1, data: z.object({ ...inProject, permission: z.string(), at }) },
  TeamPermissionRevoked: { version: 1, data: z.object({ ...inProject, permission: z.string(), at }) },
  /** Stands beside what the right was used for, so that two members who remove each other meet in one of the streams. */
  TeamRightUsed: { version: 1, data: z.object({ ...member, right: z.string(), at }) },
});
export type MembershipEvent = EventOf<typeof membershipEvents>;
