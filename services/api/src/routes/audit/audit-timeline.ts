import { AuditTimelineQuery, AuditTimelineView } from '@gatebook/contract/audit';
import { reject } from '@gatebook/domain/errors';
import type { AuditPlace } from '@gatebook/readmodel/audit/queries';
import { type BucketCount, type Buckets, countAuditEvents, countRejections } from '@gatebook/readmodel/audit/timeline';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { type AddressFilter, type Search, searchOf } from './filters.ts';
import { readMatchingEvents } from './read-page.ts';
import { seeAuditEvents } from './wait.ts';

const usualBuckets = 60;
/** Addresses are compared with what the log says, page by page. */
const maxComparedPages = 10;

export const auditTimelineRoute = defineRoute({
  method: 'GET',
  path: '/internal/audit-events/timeline',
  access: adminOnly,
  tags: ['Audit log'],
  summary: 'Count audit events over time',
  description:
    'In buckets of equal length, oldest first, with the filters of the list. Rejections count as often as they happened. At most 200,000 rows are counted: `is_complete` is false for a bucket that has more.',
  query: AuditTimelineQuery,
  response: { 200: AuditTimelineView },
  handle: async ({ deps, reply, caller, query }) => {
    const { buckets: count = usualBuckets, ...filters } = query;
    const { from_millis: from, until_millis: until } = filters;
    if (until <= from) return reject('SCHEMA_ERROR', { message: 'until_millis must be greater than from_millis' });
    await seeAuditEvents(deps, reply, caller.projectId);
    const buckets = { from, bucketMs: (until - from) / count, count };
    const search = searchOf(filters, caller.project.permissions);
    const counts = await countBoth(deps, caller.projectId, search, buckets);
    return {
      buckets: counts.map(({ count, isComplete }, nth) => ({
        at_millis: Math.floor(from + nth * buckets.bucketMs),
        count,
        is_complete: isComplete,
      })),
    };
  },
});

type CountDeps = Pick<Deps, 'db' | 'store'>;

async function countBoth(
  deps: CountDeps,
  projectId: string,
  { events, rejections, address }: Search,
  buckets: Buckets,
): Promise<BucketCount[]> {
  const none = Array.from({ length: buckets.count }, () => ({ count: 0, isComplete: true }));
  const [ofEvents, ofRejections] = await Promise.all([
    events
      ? address === null
        ? countAuditEvents(deps.db, projectId, events, buckets)
        : countFrom(deps, projectId, { events, address }, buckets)
      : none,
    rejections ? countRejections(deps.db, projectId, rejections, buckets) : none,
  ]);
  return none.map((_, nth) => ({
    count: (ofEvents[nth]?.count ?? 0) + (ofRejections[nth]?.count ?? 0),
    isComplete: [ofEvents, ofRejections].every((counts) => counts[nth]?.isComplete ?? true),
  }));
}

/** Counts the newest events that match the filters of addresses. */
async function countFrom(
  deps: CountDeps,
  projectId: string,
  { events, address }: { events: NonNullable<Search['events']>; address: AddressFilter },
  { from, bucketMs, count }: Buckets,
): Promise<BucketCount[]> {
  const bucketOf = (at: number) => Math.floor((at - from) / bucketMs);
  const counts = Array.from({ length: count }, () => 0);
  let place: AuditPlace | null = null;
  for (let nth = 0; nth < maxComparedPages; nth += 1) {
    const after = { events: place, rejections: null };
    const page = { order: 'desc', limit: Number.POSITIVE_INFINITY, after } as const;
    const { rows, next } = await readMatchingEvents(deps, projectId, events, address, page);
    for (const { row } of rows) counts[bucketOf(row.at)] = (counts[bucketOf(row.at)] ?? 0) + 1;
    place = next;
    if (place === null) break;
  }
  const countedAfter = place === null ? -1 : bucketOf(place.at);
  return counts.map((found, nth) => ({ count: found, isComplete: nth > countedAfter }));
}
