import type { CustomMetricDefinition } from '@gatebook/domain/project/metric-definition';
import { fieldOf, userOf } from '@gatebook/domain/public-events/event-fields';
import { sha256 } from '@gatebook/runtime/hash';
import type { PublicEvent } from '../events/feed.ts';
import { startOf } from '../metrics/intervals.ts';

/** `start`: of the interval, in milliseconds. `value`: of the grouping, empty if unknown, and in totals. */
export type CountKey = { start: number; isTotal: boolean; value: string };
/** What events add to a metric. `users`: one row per user, as a hash. */
export type Counted = { counts: (CountKey & { count: number })[]; users: (CountKey & { hash: string })[] };

type Metric = Pick<CustomMetricDefinition, 'filter' | 'groupBy' | 'unit' | 'count'> & { metricId: string };

/** Without the ID, nobody learns from the hash who it was. The same for all events of a user. */
const hashOf = (metricId: string, userId: string): string =>
  Buffer.from(sha256(`${metricId} ${userId}`), 'base64url')
    .toString('hex')
    .slice(0, 32);

/** What these events of the metric's types add. */
export function countEvents(metric: Metric, events: readonly PublicEvent[]): Counted {
  const counts = new Map<string, CountKey & { count: number }>();
  const users = new Map<string, CountKey & { hash: string }>();
  const { filter, groupBy, unit, metricId } = metric;
  for (const event of events) {
    if (!Object.entries(filter).every(([field, value]) => fieldOf(event, field) === value)) continue;
    const start = startOf(unit, event.at);
    const keys: CountKey[] = [{ start, isTotal: true, value: '' }];
    if (groupBy !== null) keys.push({ start, isTotal: false, value: fieldOf(event, groupBy) ?? '' });
    const userId = metric.count === 'distinct_users' ? userOf(event) : null;
    for (const key of keys) {
      const name = `${key.start} ${key.isTotal} ${key.value}`;
      if (metric.count === 'events') counts.set(name, { ...key, count: (counts.get(name)?.count ?? 0) + 1 });
      else if (userId !== null) users.set(`${name} ${userId}`, { ...key, hash: hashOf(metricId, userId) });
    }
  }
  return { counts: [...counts.values()], users: [...users.values()] };
}
