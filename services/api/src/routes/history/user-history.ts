import { HistoryParams, HistoryQuery, HistoryView } from '@gatebook/contract/history';
import { type Definitions, idsOf } from '@gatebook/domain/permission/effective';
import { type HistoryRow, listUserHistory } from '@gatebook/readmodel/history/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { historyText } from './history-text.ts';

const usualPage = 50;

/** A user's events in plain words, newest first. What was erased stays out of it. */
export const userHistoryRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/users/:user_id/history', {
      schema: {
        tags: ['Operations'],
        summary: 'A user’s history',
        params: HistoryParams,
        querystring: HistoryQuery,
        response: { 200: HistoryView },
      },
      handler: async (request) => {
        const { before, limit = usualPage } = request.query;
        const { projectId, project } = callerOf(request);
        const { items, nextBefore } = await listUserHistory(deps.db, projectId, request.params.user_id, {
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

function toHistoryItem(
  { eventId, type, details, teamName, at, actorKind, actorId, actorName }: HistoryRow,
  permissions: Definitions,
) {
  // Events name permissions by their keys; people know them by what they are called today.
  const permission = typeof details?.permission === 'string' ? idsOf(permissions, [details.permission])[0] : undefined;
  return {
    id: eventId,
    type,
    text: historyText(type, details && { ...details, permission, team: teamName }),
    at_millis: at,
    actor: { kind: actorKind, id: actorId, display_name: actorName },
  };
}
