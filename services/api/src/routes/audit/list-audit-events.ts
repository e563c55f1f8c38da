import { AuditEventListView, AuditEventsQuery } from '@gatebook/contract/audit';
import { reject } from '@gatebook/domain/errors';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { openCursor, toCursor } from './cursor.ts';
import { searchOf } from './filters.ts';
import { readAuditPage } from './read-page.ts';
import { seeAuditEvents } from './wait.ts';

const usualPage = 50;

export const listAuditEventsRoute = defineRoute({
  method: 'GET',
  path: '/internal/audit-events',
  access: adminOnly,
  tags: ['Audit log'],
  summary: 'List audit events',
  description:
    'The events of the project, newest first unless `order` is `asc`, and its rejected calls, counted in windows of five minutes. Events of one request have one `action_id`. Technical events are left out, unless asked for by `include_technical` or by type. A page can be short and still have a next one: filters that few events match look at a limited number of events per page. Reading the audit log is logged.',
  query: AuditEventsQuery,
  response: { 200: AuditEventListView },
  isTranslated: true,
  handle: async ({ deps, request, reply, caller, context, language, query }) => {
    const { order = 'desc', limit = usualPage, cursor, ...filters } = query;
    const { projectId, project } = caller;
    const search = searchOf(filters, project.permissions);
    const binding = { projectId, filters, order };
    const after = cursor === undefined ? { events: null, rejections: null } : await openCursor(deps, binding, cursor);
    if (after === null) return reject('SCHEMA_ERROR', { message: 'the cursor does not belong to this request' });
    request.log.info({ requestId: request.id, projectId, actor: context.actor, filters }, 'audit log read');
    await seeAuditEvents(deps, reply, projectId);
    const { items, next } = await readAuditPage(deps, { projectId, project, language }, search, {
      order,
      limit,
      after,
    });
    const nextCursor = next && (await toCursor(deps, binding, next));
    return { items, is_paginated: true, pagination: { next_cursor: nextCursor } };
  },
});
