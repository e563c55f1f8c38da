import type { ProjectEvent } from '@gatebook/domain/project/events';
import { type CustomMetricDefinition, changesCounts } from '@gatebook/domain/project/metric-definition';
import { insert, type Projection, patch, type Row, remove } from '@gatebook/projections/changes';

const columnsOf = ({ displayName, eventTypes, filter, groupBy, unit, count }: CustomMetricDefinition): Row => ({
  display_name: displayName,
  event_types: eventTypes,
  filter,
  group_by: groupBy,
  unit,
  count,
});

export const customMetricsProjection: Projection<ProjectEvent> = {
  CustomMetricDefined: ({ data, position }) => [
    insert('custom_metrics', {
      id: data.metricId,
      project_id: data.projectId,
      ...columnsOf(data),
      revision: position,
      since: position,
      created_at: data.at,
      updated_at: data.at,
    }),
  ],
  CustomMetricChanged: ({ data, position }) => [
    patch(
      'custom_metrics',
      { id: data.metricId },
      { ...columnsOf(data), updated_at: data.at, ...(changesCounts(data.changed) && { revision: position }) },
    ),
  ],
  CustomMetricDeleted: ({ data }) => [remove('custom_metrics', { id: data.metricId })],
};
