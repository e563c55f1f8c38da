import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

const facts = { keyId: z.uuid(), projectId: z.string() };
const at = z.iso.datetime();
export const ApiKeyOwnerType = z.enum(['user', 'team']);
export type ApiKeyOwnerType = z.infer<typeof ApiKeyOwnerType>;
const changeable = { description: z.string().nullable(), expiresAt: z.iso.datetime().nullable() };

/** Keys with which users and teams of an app call the app. `description` is encrypted under the key of the owner. */
export const apiKeyEvents = defineEvents({
  ApiKeyCreated: {
    version: 1,
    data: z.object({
      ...facts,
      ownerType: ApiKeyOwnerType,
      ownerId: z.uuid(),
      /** Revision of the user's stream that the key was decided on; null for a team's key. See `UserApiKeysRevoked`. */
      ownerRevision: z.number().int().nullable().default(null),
      ...changeable,
      isPublic: z.boolean(),
      /** SHA-256 of the key text, base64url. The text is shown once and not stored. */
      hash: z.string(),
      lastFour: z.string(),
      at,
    }),
    personal: { subject: 'ownerId', fields: ['description'] },
  },
  ApiKeyChanged: {
    version: 1,
    data: z.object({ ...facts, ownerId: z.uuid(), ...changeable, at }),
    personal: { subject: 'ownerId', fields: ['description'] },
  },
  /**
   * The key belongs to another user, into whom its owner was merged. `ownerRevision` as in `ApiKeyCreated`;
   * everything else is the same, encrypted under the key of the new owner.
   */
  ApiKeyMoved: {
    version: 1,
    data: z.object({
      ...facts,
      ownerId: z.uuid(),
      ownerRevision: z.number().int(),
      ...changeable,
      at,
    }),
    personal: { subject: 'ownerId', fields: ['description'] },
  },
  ApiKeyRevoked: { version: 1, data: z.object({ ...facts, by: z.enum(['owner', 'scanner']), at }) },
});
export type ApiKeyEvent = EventOf<typeof apiKeyEvents>;
