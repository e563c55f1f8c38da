import { ApiKeyUses, ApiKeyUsesQuery } from '@gatebook/contract/api-keys';
import { listKeyUses } from '@gatebook/readmodel/activity/queries';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';

export const listApiKeyUsesRoute = defineRoute({
  method: 'GET',
  path: '/internal/api-key-uses',
  access: adminOnly,
  tags: ['API keys'],
  summary: 'List the last uses of API keys',
  description:
    'When the API keys of a user or a team were last checked, to the minute. Keys that were never used are left out.',
  query: ApiKeyUsesQuery,
  response: { 200: ApiKeyUses },
  handle: async ({ deps, caller, query: { owner_id: ownerId } }) => {
    const uses = await listKeyUses(deps.db, caller.projectId, ownerId);
    return {
      items: uses.map(({ keyId, lastUsedAt }) => ({ api_key_id: keyId, last_used_at_millis: Math.floor(lastUsedAt) })),
    };
  },
});
