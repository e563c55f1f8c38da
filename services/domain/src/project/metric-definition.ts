import { z } from 'zod';

export const metricUnits = ['hour', 'day', 'week', 'month'] as const;
export type MetricUnit = (typeof metricUnits)[number];
export const metricCounts = ['events', 'distinct_users'] as const;
export type MetricCount = (typeof metricCounts)[number];

const definition = {
  displayName: z.string(),
  /** Types of public events, or the beginnings of some: `user.*`. */
  eventTypes: z.array(z.string()),
  /** Values by field, as text. Events have all of them. */
  filter: z.record(z.string(), z.string()),
  /** A field. */
  groupBy: z.string().nullable(),
  /** In UTC; weeks begin on Monday. */
  unit: z.enum(metricUnits),
  count: z.enum(metricCounts),
};
/** What of the public events a project counts (docs/decisions/0128). */
export const CustomMetricDefinition = z.object(definition);
export type CustomMetricDefinition = Readonly<z.infer<typeof CustomMetricDefinition>>;
export type CustomMetric = CustomMetricDefinition & { metricId: string };

export const definitionFields = Object.keys(definition) as (keyof CustomMetricDefinition)[];

/** Whether what was counted before a change of these fields is no longer what the definition says. */
export const changesCounts = (changed: readonly string[]): boolean => changed.some((field) => field !== 'displayName');
