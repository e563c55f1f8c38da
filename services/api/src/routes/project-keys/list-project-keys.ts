import { ProjectKeyListView, ProjectKeyParams, ProjectKeyView } from '@gatebook/contract/project-keys';
import { findProjectKey, listProjectKeys } from '@gatebook/readmodel/projects/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { toProjectKeyView } from './wire.ts';

const tags = ['Project keys'];

/** Newest first. */
export const listProjectKeysRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/api-keys', {
      schema: {
        tags,
        summary: 'List key sets',
        description: 'Newest first, with the last characters of each key.',
        response: { 200: ProjectKeyListView },
      },
      handler: async (request) => {
        const keys = await listProjectKeys(deps.db, callerOf(request).projectId);
        return { items: keys.map(toProjectKeyView), is_paginated: false as const };
      },
    });
  };

export const getProjectKeyRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/api-keys/:key_id', {
      schema: {
        tags,
        summary: 'A key set',
        description: 'With the last characters of each key.',
        params: ProjectKeyParams,
        response: { 200: ProjectKeyView },
      },
      handler: async (request) => {
        const key = await findProjectKey(deps.db, callerOf(request).projectId, request.params.key_id);
        return toProjectKeyView(key);
      },
    });
  };
