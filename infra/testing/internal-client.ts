import { createMemoryTokenStore } from '@gatebook/js/core';
import { createOwnerClient, type OwnerClient } from '@gatebook/js/owner-client';
import { internalKeys } from './product.ts';

/** A client of `internal`, the project of the owners, without a session. */
export function createInternalClient(baseUrl: string): OwnerClient {
  return createOwnerClient({
    baseUrl,
    projectId: 'internal',
    publishableClientKey: internalKeys.client,
    tokenStore: createMemoryTokenStore(),
  });
}
