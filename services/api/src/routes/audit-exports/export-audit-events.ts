import { Readable } from 'node:stream';
import { recordAuditExport } from '@gatebook/commands/project/project';
import { AuditExportQuery, exportHeaders } from '@gatebook/contract/audit-export';
import { reject } from '@gatebook/domain/errors';
import { findRejection } from '@gatebook/readmodel/activity/rejection-list';
import { anyAuditEvent } from '@gatebook/readmodel/audit/filters';
import { type AuditRow, findAuditRow, listAuditRows } from '@gatebook/readmodel/audit/queries';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute, textResponse } from '../../http/define-route.ts';
import { issuerOf } from '../../tokens.ts';
import { type AuditPlaces, openCursor, toCursor } from '../audit/cursor.ts';
import { searchOf } from '../audit/filters.ts';
import { placesAfterEvent, placesAfterRejection } from '../audit/settled.ts';
import { seeAuditEvents } from '../audit/wait.ts';
import type { ExportEnd, ExportedEvent } from './exported-event.ts';
import { type ExportFormat, exportFormats } from './formats.ts';
import { createPace } from './pace.ts';
import { endOf, readExport } from './read-export.ts';

/** The audit log in a file of any size. The export is recorded before its first byte. */
export const exportAuditEventsRoute = defineRoute({
  method: 'GET',
  path: '/internal/audit-events/export',
  access: adminOnly,
  limit: 'export',
  errors: ['AUDIT_EVENT_NOT_FOUND', 'AUDIT_LOG_NOT_READY'],
  tags: ['Audit log'],
  summary: 'Export the audit log',
  description:
    'The events up to now in the order of the log, with the filters of the list: as JSON lines, CSV, OCSF 1.8.0 or CloudEvents 1.0. The last line is `{"end":true,"count":n,"next_cursor":…}`, in CSV a row of type `end`. Without it, the export was cut off: continue with `after_event_id`. `x-export-until-event-id` is the last event, which records the export itself.',
  query: AuditExportQuery,
  response: { 200: textResponse },
  handle: async ({ deps, request, reply, caller, context, query }) => {
    const { format: name = 'jsonl', cursor, after_event_id: afterId, ...filters } = query;
    const { projectId, project } = caller;
    const search = searchOf(filters, project.permissions);
    const binding = { projectId, filters, order: 'asc' };
    const after = await findStart(deps, binding, { cursor, afterId });
    const given = Object.keys(filters).filter((key) => filters[key as keyof typeof filters] !== undefined);
    await recordAuditExport(deps, context, { format: name, filters: given });
    await seeAuditEvents(deps, reply, projectId);
    const last = (await findOwnEvent(deps, projectId, request.id)) ?? reject('AUDIT_LOG_NOT_READY');
    if (search.rejections && (await deps.rejections.settle(last.at)) < last.at) reject('AUDIT_LOG_NOT_READY');
    const format = exportFormats[name];
    const day = deps.now().slice(0, 10);
    reply
      .header('content-type', format.contentType)
      .header('content-disposition', `attachment; filename="audit-log-${projectId}-${day}.${format.extension}"`)
      .header(exportHeaders.untilEventId, last.eventId);
    const { publicUrl } = deps.config.http;
    const exportContext = { projectId, publicUrl, issuer: issuerOf(publicUrl, projectId), version: deps.version };
    const giveWay = createPace({
      yieldToRequests: () => request.server.yieldToRequests(),
      isBusy: () => deps.traffic?.isBusy() ?? false,
    });
    const toLine = (event: ExportedEvent) => format.toLine(event, exportContext);
    const pages = readExport({ ...deps, giveWay }, caller, search, { after, until: last }, toLine);
    const toEnd = async (count: number): Promise<ExportEnd> => ({
      end: true,
      count,
      next_cursor: await toCursor(deps, binding, endOf(after, last)),
    });
    return reply.send(Readable.from(toFile(pages, format, toEnd), { objectMode: false }));
  },
});

async function* toFile(
  pages: AsyncIterable<readonly (string | null)[]>,
  format: ExportFormat,
  toEnd: (count: number) => Promise<ExportEnd>,
): AsyncGenerator<string> {
  if (format.head !== '') yield format.head;
  let count = 0;
  for await (const page of pages) {
    const lines = page.filter((line) => line !== null);
    count += lines.length;
    if (lines.length > 0) yield lines.join('');
  }
  yield format.toEnd(await toEnd(count));
}

type Start = { cursor: string | undefined; afterId: string | undefined };

/** @throws DomainError SCHEMA_ERROR for a cursor of another request, AUDIT_EVENT_NOT_FOUND */
async function findStart(deps: Deps, binding: { projectId: string }, { cursor, afterId }: Start): Promise<AuditPlaces> {
  if (cursor !== undefined) {
    const places = await openCursor(deps, binding, cursor);
    return places ?? reject('SCHEMA_ERROR', { message: 'the cursor does not belong to this request' });
  }
  if (afterId === undefined) return { events: null, rejections: null };
  const { db } = deps;
  const event = await findAuditRow(db, binding.projectId, afterId);
  if (event) return placesAfterEvent(event);
  const rejection = await findRejection(db, binding.projectId, afterId);
  return rejection
    ? placesAfterRejection({ at: rejection.firstAt, id: rejection.id })
    : reject('AUDIT_EVENT_NOT_FOUND');
}

/** The event that records this export; null if the read model is too slow. */
async function findOwnEvent({ db }: Pick<Deps, 'db'>, projectId: string, requestId: string): Promise<AuditRow | null> {
  const filters = { ...anyAuditEvent, requestId };
  const { rows } = await listAuditRows(db, projectId, filters, { order: 'desc', after: null, limit: 1 });
  return rows[0] ?? null;
}
