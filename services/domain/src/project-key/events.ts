import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

const keyId = z.uuid();
const projectId = z.string();
const at = z.iso.datetime();
/** `hash` is the SHA-256 of the key text, base64url. The text is shown once and not stored. */
const keyPart = z.object({ hash: z.string(), lastFour: z.string() }).nullable();
const parts = { publishableClientKey: keyPart, secretServerKey: keyPart, superSecretAdminKey: keyPart };

/** A set of up to three keys with one description and one lifetime (protocol, projects §6). */
export const projectKeyEvents = defineEvents({
  ProjectKeyCreated: {
    version: 1,
    data: z.object({ keyId, projectId, description: z.string(), ...parts, expiresAt: z.iso.datetime(), at }),
  },
  ProjectKeyDescribed: { version: 1, data: z.object({ keyId, projectId, description: z.string(), at }) },
  /** Only for the key set of `internal`, whose texts come from the configuration and may change between starts. */
  ProjectKeyReplaced: { version: 1, data: z.object({ keyId, projectId, ...parts, at }) },
  /** The set ends earlier, because another one replaces it, or again as before. */
  ProjectKeyExpiryChanged: { version: 1, data: z.object({ keyId, projectId, expiresAt: z.iso.datetime(), at }) },
  ProjectKeyRevoked: { version: 1, data: z.object({ keyId, projectId, at }) },
});
export type ProjectKeyEvent = EventOf<typeof projectKeyEvents>;
