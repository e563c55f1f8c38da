import { createResourceCache, type ResourceCache } from '@gatebook/react';

/** The cache of what pages read. */
export const createPageCache = (): ResourceCache =>
  createResourceCache({ refreshesOnReturn: true, fetchesAhead: true });
