import { HistoryParams, HistoryQuery, HistoryView } from '@gatebook/contract/history';
import { listUserHistory } from '@gatebook/readmodel/history/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { toHistoryItem } from './wire.ts';

const usualPage = 50;

/** A user's events in plain words, newest first. What was erased stays out of it. */
export const userHistoryRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/users/:user_id/history', {
      schema: {
        tags: ['Operations'],
        summary: 'A user’s history',
        description:
          'What happened to the user, newest first, in plain words and with who did it. What was erased is told no more.',
        params: HistoryParams,
        querystring: HistoryQuery,
        response: { 200: HistoryView },
      },
      handler: async (request) => {
        const { before, limit = usualPage } = request.query;
        const caller = callerOf(request);
        const { projectId, project } = caller;
        const { user_id: userId } = request.params;
        // Who looks at a person's history is written down, but not in that history, which each look would lengthen.
        const { actor } = contextOf(request, caller);
        request.log.info({ requestId: request.id, projectId, userId, actor }, 'history read');
        const { items, nextBefore } = await listUserHistory(deps.db, projectId, userId, {
          before: before === undefined ? null : BigInt(before),
          limit,
        });
        return {
          items: items.map((row) => toHistoryItem(row, project.project.permissions)),
          next_before: nextBefore === null ? null : String(nextBefore),
        };
      },
    });
  };
