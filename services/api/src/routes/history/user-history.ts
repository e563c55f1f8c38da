import { HistoryParams, HistoryQuery, HistoryView } from '@gatebook/contract/history';
import { listUserHistory } from '@gatebook/readmodel/history/queries';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { toHistoryItem } from './wire.ts';

const usualPage = 50;

/** A user's events in plain text, newest first, without erased values. */
export const userHistoryRoute = defineRoute({
  method: 'GET',
  path: '/internal/users/:user_id/history',
  access: adminOnly,
  tags: ['Operations'],
  summary: 'List a user’s history',
  description: 'Newest first, in plain text, with the actor of each entry. Erased data is not shown.',
  params: HistoryParams,
  query: HistoryQuery,
  response: { 200: HistoryView },
  handle: async ({ deps, request, caller, context, params, query }) => {
    const { before, limit = usualPage } = query;
    const { projectId, project } = caller;
    const { user_id: userId } = params;
    // Logs who reads a user's history. Recording it in the history would make the history grow with each read.
    const { actor } = context;
    request.log.info({ requestId: request.id, projectId, userId, actor }, 'history read');
    const { items, nextBefore } = await listUserHistory(deps.db, projectId, userId, {
      before: before === undefined ? null : BigInt(before),
      limit,
    });
    return {
      items: items.map((row) => toHistoryItem(row, project.permissions)),
      next_before: nextBefore === null ? null : String(nextBefore),
    };
  },
});
