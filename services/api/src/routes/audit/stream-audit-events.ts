import { AuditStreamQuery } from '@gatebook/contract/audit';
import { reject } from '@gatebook/domain/errors';
import { anyAuditEvent } from '@gatebook/readmodel/audit/filters';
import { listAuditRows } from '@gatebook/readmodel/audit/queries';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { LiveSource, Seen } from '../../http/live-source.ts';
import { lastEventId, liveResponse } from '../../http/server-sent-events.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { type AuditPlaces, openCursor, parsePlaces, placesText, toCursor } from './cursor.ts';
import { type Search, searchOf } from './filters.ts';
import { type MergedPage, readMergedPage, viewRows } from './read-page.ts';
import { afterSettled, laterOf, settledAt } from './settled.ts';
import { seeAuditEvents } from './wait.ts';

const pageSize = 50;

export const streamAuditEventsRoute = defineRoute({
  method: 'GET',
  path: '/internal/audit-events/stream',
  access: adminOnly,
  errors: ['LIVE_STREAM_LIMIT_REACHED'],
  tags: ['Audit log'],
  summary: 'Stream audit events',
  description:
    'New events as they happen, as server-sent events with the filters of the list: `id` is the cursor, `data` the event in one line. Rejected calls follow when their window of five minutes is over, with their final count. To continue, send the last `id` as `Last-Event-ID` or `after`. A comment comes every 15 seconds, with a new `id` if events were left out. The stream ends after an hour, and within a second when the caller loses the right to read it.',
  query: AuditStreamQuery,
  response: { 200: liveResponse },
  isTranslated: true,
  handle: async ({ deps, request, reply, caller, context, language, query }) => {
    const { after, ...filters } = query;
    const { projectId, project } = caller;
    const search = searchOf(filters, project.permissions);
    const binding = { projectId, filters, order: 'asc' };
    const cursor = lastEventId(request, after) ?? 'head';
    const start = cursor === 'head' ? null : await openCursor(deps, binding, cursor);
    if (start === null && cursor !== 'head') {
      reject('SCHEMA_ERROR', { message: 'the cursor does not belong to this request' });
    }
    request.log.info({ requestId: request.id, projectId, actor: context.actor, filters }, 'audit log streamed');
    await seeAuditEvents(deps, reply, projectId);
    const place = placesText(start ?? (await findHead(deps, projectId)));
    return request.server.sendLive(request, reply, auditSource(deps, search, { binding, language }), place);
  },
});

/** After all that happened until now. */
async function findHead({ db, now }: Deps, projectId: string): Promise<AuditPlaces> {
  const newest = { order: 'desc', after: null, limit: 1 } as const;
  const [event] = (await listAuditRows(db, projectId, anyAuditEvent, newest)).rows;
  return {
    events: event ? { at: event.at, position: event.position } : null,
    rejections: afterSettled(Date.parse(now())),
  };
}

/** Up to when all rejections are known. Does not wait for others, because few streams read at once. */
async function settle({ rejections, now }: Deps, search: Search): Promise<number> {
  const at = Date.parse(now());
  return search.rejections ? rejections.settle(at, 0) : at;
}

type Binding = { projectId: string; filters: unknown; order: string };

type Form = { binding: Binding; language: TextLanguage };

function auditSource(deps: Deps, search: Search, { binding, language }: Form): LiveSource {
  const { projectId } = binding;
  const read = async (place: string, seen: Seen | null) => {
    const after = parsePlaces(place);
    const settled = await settle(deps, search);
    const { project } = (await deps.projects.find(projectId)) ?? reject('PROJECT_NOT_FOUND', { project_id: projectId });
    const page = { order: 'asc', limit: pageSize, after, settled } as const;
    const { rows, places, next } = await readMergedPage(deps, projectId, search, page);
    const views = await viewRows(deps, { projectId, project, language }, rows);
    const placesAfter = placesAfterRows(after, rows);
    const items = await Promise.all(
      views.map(async (data, nth) => ({ cursor: await toCursor(deps, binding, placesAfter[nth] ?? places), data })),
    );
    return { items, next: placesText(next ?? atEnd(places, seen, settled)), hasMore: next !== null };
  };
  return {
    key: JSON.stringify(['audit', binding, language]),
    reached: (position) => reached(deps, projectId, position),
    read,
    toCursor: (place) => toCursor(deps, binding, parsePlaces(place)),
    ...(search.rejections && { nextLookAt: (place) => nextLookAt(parsePlaces(place)) }),
  };
}

/** An item is sent once, so the names in it must be those after its event. They are in the main group. */
async function reached({ readModels }: Deps, projectId: string, position: bigint): Promise<'reached' | 'behind'> {
  const states = await Promise.all(
    ['audit', 'main'].map((group) => readModels.reached(position, undefined, [projectId], { group })),
  );
  return states.includes('behind') ? 'behind' : 'reached';
}

/** When rejections after this place are settled. */
const nextLookAt = ({ rejections }: AuditPlaces): number => (rejections ? settledAt(rejections.at) + 1 : 0);

/** The places after each row. */
function placesAfterRows(after: AuditPlaces, rows: MergedPage['rows']): AuditPlaces[] {
  let places = after;
  return rows.map((row) => {
    places =
      'event' in row
        ? { ...places, events: { at: row.event.row.at, position: row.event.row.position } }
        : { ...places, rejections: { at: row.rejection.firstAt, id: row.rejection.id } };
    return places;
  });
}

/**
 * Both sources were read to their ends. The commit time of the newest event can be earlier than that of the last row,
 * but never later than the time of a row after it.
 */
function atEnd({ events, rejections }: AuditPlaces, seen: Seen | null, settled: number): AuditPlaces {
  const isNewer = seen !== null && seen.position > (events?.position ?? -1n);
  const end = isNewer ? { position: seen.position, at: Math.max(seen.at, events?.at ?? 0) } : events;
  return { events: end, rejections: laterOf(rejections, afterSettled(settled)) };
}
