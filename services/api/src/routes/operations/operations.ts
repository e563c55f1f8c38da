import { OperationsView } from '@gatebook/contract/operations';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf, mayOperate } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { operationsView } from './status.ts';

/** For the owners of `internal`: the people who run this server. */
export const operationsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/operations', {
      schema: {
        tags: ['Operations'],
        summary: 'The log and its subscriptions',
        description: 'For the owners of `internal`, who run this server: how far read models and workers are.',
        response: { 200: OperationsView },
      },
      handler: async (request) => {
        mayOperate(callerOf(request));
        return operationsView(deps);
      },
    });
  };
