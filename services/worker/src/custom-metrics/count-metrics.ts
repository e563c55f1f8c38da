import { typesNamed } from '@gatebook/domain/public-events/type-names';
import type { EventStore } from '@gatebook/eventlog/port';
import { countEvents } from '@gatebook/readmodel/custom-metrics/count-events';
import {
  listCustomMetrics,
  listProjectsWithMetrics,
  type StoredMetric,
} from '@gatebook/readmodel/custom-metrics/queries';
import {
  advanceRun,
  beginRun,
  deleteOtherRuns,
  deleteUnusedRuns,
  findRun,
  forgetCountedUsers,
  isOfThisLog,
  type MetricRun,
} from '@gatebook/readmodel/custom-metrics/runs';
import { everyPublicEvent, type FeedPage, type FeedParts, feedBound, readFeed } from '@gatebook/readmodel/events/feed';
import { findFirstSince } from '@gatebook/readmodel/events/queries';
import { startOf } from '@gatebook/readmodel/metrics/intervals';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import type { FeedSubscriber, FollowParts } from '../feed/feed-subscriber.ts';
import { followProjects } from '../feed/follow-projects.ts';

export type MetricParts = FollowParts &
  Pick<FeedParts, 'db'> & {
    pool: Pool;
    store: FeedParts['store'] & Pick<EventStore, 'identify'>;
    readModels: FeedParts['readModels'];
    /** Whether this process is handling requests. */
    isBusy?: () => boolean;
    /** Events per statement that counts. */
    pageSize?: number;
  };

const usualPageSize = 500;
/** Pages that are counted for a metric before it is the turn of others. */
const maxPages = 4;
/** A place that moved by less without a counted event is not saved: it is found again by reading. */
const unsavedPositions = 10_000n;
/** A process that handles requests rests for as long as it has counted. */
const restPerWork = 1;
/** Counts can lag by this. */
const delayMs = 1_000;
/** Times of events can differ from their order by less, if the log has more than one clock. */
const clockDifferenceMs = 24 * 60 * 60_000;

/** Counts the public events of all custom metrics, first those of the past, until `signal` aborts. */
export const followMetrics = (parts: MetricParts, signal: AbortSignal): Promise<void> =>
  followProjects(parts, (ended) => createSubscriber(parts, ended), signal);

function createSubscriber(parts: MetricParts, signal: AbortSignal): FeedSubscriber {
  const { db, pool } = parts;
  /** A process that ended may have left rows of other runs. */
  const cleaned = new Set<string>();
  return {
    name: 'custom metrics',
    delayMs,
    projects: () => listProjectsWithMetrics(db),
    // Metrics of a project that awaits its deletion are not listed until it is restored.
    showsProject: ({ type }) => type.startsWith('CustomMetric') || type === 'ProjectDeletionCanceled',
    take: async (projectId) => {
      let hasMore = false;
      for (const metric of await listCustomMetrics(db, { projectId })) {
        hasMore = (await countMetric(parts, metric, signal)) || hasMore;
        const run = cleaned.has(metric.metricId) ? null : await findRun(pool, metric.metricId);
        if (run) await deleteOtherRuns(pool, run);
        cleaned.add(metric.metricId);
      }
      return hasMore;
    },
  };
}

/**
 * Counts the next events of a metric, from where its run is.
 * @returns whether there are more, before the end of the feed
 */
export async function countMetric(parts: MetricParts, metric: StoredMetric, signal: AbortSignal): Promise<boolean> {
  const { projectId, filter } = metric;
  const { pageSize = usualPageSize } = parts;
  if (signal.aborted || feedBound(parts, projectId) < 0n) return false;
  let run = await findOrBeginRun(parts, metric);
  const filters = { ...everyPublicEvent, types: typesNamed(metric.eventTypes), teamId: filter.team_id ?? null };
  for (let pages = 1; run && !signal.aborted; pages += 1) {
    const began = performance.now();
    const page: FeedPage = await readFeed(parts, projectId, filters, { from: run.place, limit: pageSize });
    const isSaved = page.hasMore || page.items.length > 0 || !run.isComplete || isFar(run, page);
    if (!isSaved) return false;
    run = await saveCounts(parts, metric, run, page);
    if (page.hasMore && parts.isBusy?.()) await pause(restPerWork * (performance.now() - began), signal);
    if (!page.hasMore || pages === maxPages) return run !== null && page.hasMore;
  }
  return false;
}

const isFar = ({ place }: MetricRun, { next }: FeedPage) => next.position - place.position > unsavedPositions;

/** The run of this definition in this log; null if another process has begun one. */
async function findOrBeginRun(parts: MetricParts, metric: StoredMetric): Promise<MetricRun | null> {
  const { db, pool, store } = parts;
  const { metricId, projectId, revision } = metric;
  const before = await findRun(pool, metricId);
  if (before?.revision === revision && (await isOfThisLog(store, before))) return before;
  const target = feedBound(parts, projectId);
  const first = (await findFirstSince(db, projectId, 0)) ?? target;
  const run = await beginRun(pool, { metricId, projectId, revision, first, target }, before);
  if (run) await deleteOtherRuns(pool, run);
  return run;
}

async function saveCounts(
  { pool, store }: MetricParts,
  metric: StoredMetric,
  run: MetricRun,
  { items, next, hasMore }: FeedPage,
): Promise<MetricRun | null> {
  const counted = countEvents(
    metric,
    items.map(({ event }) => event),
  );
  const advance = {
    projectId: metric.projectId,
    next,
    eventId: await store.identify(next.position),
    isComplete: run.isComplete || !hasMore || next.position >= run.target,
  };
  const saved = await advanceRun(pool, run, advance, counted);
  const last = items.at(-1)?.event.at;
  if (saved && last !== undefined && metric.count === 'distinct_users') {
    await forgetCountedUsers(pool, saved, startOf(metric.unit, last - clockDifferenceMs));
  }
  return saved;
}

/** Deletes what was counted of metrics that were deleted, or whose projects were. */
export async function deleteUnusedCounts({ db, pool }: Pick<MetricParts, 'db' | 'pool'>): Promise<void> {
  const existing: string[] = [];
  for (const projectId of await listProjectsWithMetrics(db)) {
    for (const { metricId } of await listCustomMetrics(db, { projectId })) existing.push(metricId);
  }
  await deleteUnusedRuns(pool, existing);
}
