import type { CreateCustomMetric, CustomMetric, CustomMetricField, CustomMetricList } from '@gatebook/js/admin';
import { matches } from '../../components/events/type-patterns.ts';

/** What the form of a metric holds. */
export type MetricFormValues = {
  displayName: string;
  eventTypes: string[];
  count: CustomMetric['count'];
  unit: CustomMetric['unit'];
  groupBy: CustomMetricField | null;
  filters: { field: CustomMetricField; value: string }[];
};

export const valuesOf = (metric: CustomMetric | null): MetricFormValues => ({
  displayName: metric?.displayName ?? '',
  eventTypes: [...(metric?.eventTypes ?? [])],
  count: metric?.count ?? 'events',
  unit: metric?.unit ?? 'day',
  groupBy: metric?.groupBy ?? null,
  filters: Object.entries(metric?.filter ?? {}).map(([field, value]) => ({ field: field as CustomMetricField, value })),
});

export const definitionOf = ({ filters, displayName, eventTypes, ...rest }: MetricFormValues): CreateCustomMetric => ({
  ...rest,
  displayName: displayName.trim(),
  eventTypes: eventTypes as CustomMetric['eventTypes'],
  filter: Object.fromEntries(filters.map(({ field, value }) => [field, value.trim()])),
});

/** The fields that events of these types have. */
export const fieldsOf = (fields: CustomMetricList['fields'], patterns: readonly string[]): CustomMetricField[] =>
  fields
    .filter(({ eventTypes }) => eventTypes.some((type) => patterns.some((pattern) => matches(pattern, type))))
    .map(({ field }) => field);
