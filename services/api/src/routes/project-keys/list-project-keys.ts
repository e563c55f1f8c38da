import { ProjectKeyListView, ProjectKeyParams, ProjectKeyView } from '@gatebook/contract/project-keys';
import { findProjectKey, listProjectKeys } from '@gatebook/readmodel/projects/queries';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { toProjectKeyView } from './wire.ts';

const tags = ['Project keys'];

export const listProjectKeysRoute = defineRoute({
  method: 'GET',
  path: '/internal/api-keys',
  asOf: ['last_used_at_millis'],
  access: adminOnly,
  tags,
  summary: 'List project key sets',
  description: 'Newest first, with the last characters of each key and when it was last used.',
  response: { 200: ProjectKeyListView },
  handle: async ({ deps, caller }) => {
    const keys = await listProjectKeys(deps.db, caller.projectId);
    return { items: keys.map(toProjectKeyView), is_paginated: false as const };
  },
});

export const getProjectKeyRoute = defineRoute({
  method: 'GET',
  path: '/internal/api-keys/:key_id',
  asOf: ['last_used_at_millis'],
  access: adminOnly,
  errors: ['API_KEY_NOT_FOUND'],
  tags,
  summary: 'Get a project key set',
  description: 'Shows the last characters of each key.',
  params: ProjectKeyParams,
  response: { 200: ProjectKeyView },
  handle: async ({ deps, caller, params }) => {
    const key = await findProjectKey(deps.db, caller.projectId, params.key_id);
    return toProjectKeyView(key);
  },
});
