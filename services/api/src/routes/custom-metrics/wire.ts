import type { CustomMetricListView, CustomMetricView } from '@gatebook/contract/custom-metrics';
import { eventFields, typesWithField } from '@gatebook/domain/public-events/event-fields';
import { findMetricRuns, type MetricProgress, type StoredMetric } from '@gatebook/readmodel/custom-metrics/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';

export const tags = ['Operations'];

export const toProgressView = ({ isComplete, share }: MetricProgress) => ({
  is_complete: isComplete,
  progress: Math.floor(share * 1_000) / 1_000,
});

const notBegun: MetricProgress = { isComplete: false, share: 0 };

export const toMetricView = (
  { metricId, displayName, eventTypes, filter, groupBy, unit, count, createdAt, updatedAt }: StoredMetric,
  progress: MetricProgress = notBegun,
): CustomMetricView => ({
  ...{ id: metricId, display_name: displayName, event_types: eventTypes, filter, group_by: groupBy, unit, count },
  ...toProgressView(progress),
  created_at_millis: createdAt,
  updated_at_millis: updatedAt,
});

/** In their order. */
export async function toMetricViews(
  db: ReadDb,
  projectId: string,
  metrics: readonly StoredMetric[],
): Promise<CustomMetricView[]> {
  const runs = await findMetricRuns(db, projectId, metrics);
  return metrics.map((metric) => toMetricView(metric, runs.get(metric.metricId)));
}

export const fields: CustomMetricListView['fields'] = eventFields.map((field) => ({
  field,
  event_types: typesWithField(field),
}));
