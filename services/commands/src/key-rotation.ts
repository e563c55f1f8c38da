/**
 * When a key ends that another one replaces: at the end of the overlap, or as before if that is sooner. ISO times;
 * `expiresAt` null: the key never expired.
 */
export const endOfOverlap = (expiresAt: string | null, oldExpiresAt: string): string =>
  expiresAt !== null && Date.parse(expiresAt) < Date.parse(oldExpiresAt) ? expiresAt : oldExpiresAt;
