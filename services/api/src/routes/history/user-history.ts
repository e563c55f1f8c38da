import { HistoryParams, HistoryQuery, HistoryView } from '@gatebook/contract/history';
import { reject } from '@gatebook/domain/errors';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { openCursor, toCursor } from '../audit/cursor.ts';
import { seeAuditEvents } from '../audit/wait.ts';
import { listUserHistory } from './user-history-rows.ts';
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
  isTranslated: true,
  handle: async ({ deps, request, reply, caller, context, language, params, query }) => {
    const { before, limit = usualPage } = query;
    const { projectId, project } = caller;
    const { user_id: userId } = params;
    const binding = { projectId, userId };
    const places = before === undefined ? { events: null } : await openCursor(deps, binding, before);
    if (places === null) return reject('SCHEMA_ERROR', { message: 'before is not from a page of this history' });
    // Logs who reads a user's history. Recording it in the history would make the history grow with each read.
    const { actor } = context;
    request.log.info({ requestId: request.id, projectId, userId, actor }, 'history read');
    await seeAuditEvents(deps, reply, projectId);
    const person = { projectId, userId, permissions: project.permissions };
    const { items, next } = await listUserHistory(deps, person, { after: places.events, limit });
    return {
      items: items.map((row) => toHistoryItem(row, { permissions: project.permissions, language })),
      next_before: next && (await toCursor(deps, binding, { events: next, rejections: null })),
    };
  },
});
