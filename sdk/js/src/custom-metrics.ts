import type { CustomMetricListView, CustomMetricValuesView, CustomMetricView } from '@gatebook/contract/custom-metrics';
import { queryOf } from './app/fields.ts';
import type { EventTypePattern } from './events.ts';
import type { AnalyticsUnit } from './metrics.ts';
import type { Send } from './transport.ts';

/** Fields of public events that metrics filter and group by. */
export type CustomMetricField =
  | 'type'
  | 'actor'
  | 'team_id'
  | 'permission_id'
  | 'method'
  | 'provider_id'
  | 'second_factor'
  | 'is_impersonation'
  | 'is_anonymous'
  | 'reason';

export type CustomMetricDefinition = {
  displayName: string;
  eventTypes: readonly EventTypePattern[];
  /** Only events that have all of these values are counted. */
  filter: Readonly<Partial<Record<Exclude<CustomMetricField, 'type'>, string>>>;
  groupBy: CustomMetricField | null;
  /** In UTC. Weeks begin on Monday. */
  unit: AnalyticsUnit;
  /** `distinct_users`: each user counts once per interval. */
  count: 'events' | 'distinct_users';
};
/** `isComplete`: false while events of the past are being counted. `progress`: how much of it is, from 0 to 1. */
export type CustomMetricProgress = { isComplete: boolean; progress: number };
export type CustomMetric = CustomMetricDefinition &
  CustomMetricProgress & { id: string; createdAt: Date; updatedAt: Date };

export type CreateCustomMetric = Pick<CustomMetricDefinition, 'displayName' | 'eventTypes' | 'unit'> &
  Partial<CustomMetricDefinition>;
export type CustomMetricChanges = Partial<CustomMetricDefinition>;

export type CustomMetricList = {
  /** Oldest first. */
  items: readonly CustomMetric[];
  /** With the types of events that have them. */
  fields: readonly { field: CustomMetricField; eventTypes: readonly string[] }[];
};

/** `until` is exclusive. */
export type CustomMetricRange = { from?: Date | undefined; until?: Date | undefined };
/** `counts`: one per interval, oldest first. */
export type CustomMetricValues = CustomMetricProgress & {
  unit: AnalyticsUnit;
  intervals: readonly { start: Date; end: Date }[];
  /** null for distinct users. */
  total: number | null;
  counts: readonly number[];
  /** The largest first; value is null for what is unknown and all others. */
  groups: readonly { value: string | null; counts: readonly number[] }[];
};

export type CustomMetricsClient = {
  list(): Promise<CustomMetricList>;
  /** @throws KnownError CUSTOM_METRIC_LIMIT_REACHED */
  create(input: CreateCustomMetric): Promise<CustomMetric>;
  /** Unless only the name changes, events are counted again. @throws KnownError CUSTOM_METRIC_NOT_FOUND */
  update(metricId: string, changes: CustomMetricChanges): Promise<CustomMetric>;
  delete(metricId: string): Promise<void>;
  /** The last 30 intervals, unless a range is given. */
  findValues(metricId: string, range?: CustomMetricRange): Promise<CustomMetricValues>;
};

const metrics = '/internal/custom-metrics';
const metricPath = (id: string, rest = '') => `${metrics}/${encodeURIComponent(id)}${rest}`;

export const customMetricsClient = (send: Send): CustomMetricsClient => ({
  list: async () => {
    const { items, fields } = await send<CustomMetricListView>('GET', metrics);
    return {
      items: items.map(toMetric),
      fields: fields.map(({ field, event_types: eventTypes }) => ({ field, eventTypes })),
    };
  },
  create: async (input) => toMetric(await send<CustomMetricView>('POST', metrics, bodyOf(input))),
  update: async (id, changes) => toMetric(await send<CustomMetricView>('PATCH', metricPath(id), bodyOf(changes))),
  delete: async (id) => {
    await send('DELETE', metricPath(id), {});
  },
  findValues: async (id, { from, until } = {}) => {
    const query = queryOf({ fromMillis: from?.getTime(), untilMillis: until?.getTime() });
    const view = await send<CustomMetricValuesView>('GET', metricPath(id, `/values${query}`));
    const { intervals, is_complete: isComplete, ...rest } = view;
    return {
      ...rest,
      isComplete,
      intervals: intervals.map(({ start_millis: start, end_millis: end }) => ({
        start: new Date(start),
        end: new Date(end),
      })),
    };
  },
});

/** Names of fields stay as they are in events. */
const bodyOf = ({ displayName, eventTypes, groupBy, ...rest }: CustomMetricChanges) => ({
  ...rest,
  display_name: displayName,
  event_types: eventTypes,
  group_by: groupBy,
});

const toMetric = ({
  display_name: displayName,
  event_types: eventTypes,
  group_by: groupBy,
  is_complete: isComplete,
  created_at_millis: createdAt,
  updated_at_millis: updatedAt,
  ...view
}: CustomMetricView): CustomMetric => ({
  ...view,
  ...{ displayName, isComplete, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) },
  eventTypes: eventTypes as EventTypePattern[],
  groupBy: groupBy as CustomMetricField | null,
});
