import { z } from 'zod';
import { analyticsGroupings, analyticsMeasures, analyticsRanges, analyticsUnits } from './analytics-ranges.ts';
import { flagText } from './common.ts';

const range = z.enum(analyticsRanges);

export const AnalyticsQuery = z.strictObject({
  measure: z.enum(analyticsMeasures),
  range,
  unit: z
    .enum(analyticsUnits)
    .optional()
    .meta({ description: 'Of a range of 24 hours `hour`, of others `day`, `week` from 30 days on, `month` from 90.' }),
  group_by: z.enum(analyticsGroupings).optional(),
  compare: flagText.optional().meta({ description: 'Also count the period before.' }),
});
export type AnalyticsQuery = z.infer<typeof AnalyticsQuery>;

const millis = z.number().int();
const count = z.number().int();
/** One count per interval. */
const counts = z.array(count);
const intervals = z.array(
  z.object({
    start_millis: millis,
    /** Exclusive; after now for the present interval. */
    end_millis: millis,
    /** The query of `GET /internal/users` that finds the people; null if it is not known who they were. */
    people: z.record(z.string(), z.string()).nullable(),
  }),
);

export const AnalyticsView = z
  .object({
    unit: z.enum(analyticsUnits),
    intervals,
    total: count.nullable().meta({ description: 'Of active users: how many there were, each counted once.' }),
    counts,
    groups: z
      .array(z.object({ value: z.string().nullable(), counts }))
      .meta({ description: 'The ten largest groups, largest first; value is null for the unknown and all others.' }),
    before: z
      .object({ start_millis: millis, end_millis: millis, intervals, total: count.nullable(), counts })
      .nullable()
      .meta({ description: 'The period before, if it was asked for. total is null if it is not known.' }),
    counted_since_millis: millis
      .nullable()
      .meta({ description: 'Active users are not known before this time; null: no limit.' }),
  })
  .meta({ id: 'Analytics' });
export type AnalyticsView = z.infer<typeof AnalyticsView>;

export const RetentionView = z
  .object({
    cohorts: z.array(
      z.object({
        start_millis: millis,
        users: count,
        active: z.array(count.nullable()).meta({
          description: 'In the week of joining and each week since, this week last; null if it was not counted.',
        }),
      }),
    ),
  })
  .meta({ id: 'Retention' });
export type RetentionView = z.infer<typeof RetentionView>;

export const FunnelQuery = z.strictObject({ range });
export const FunnelView = z
  .object({
    start_millis: millis,
    signed_up: count,
    verified: count,
    returned: count,
    is_complete: z.boolean().meta({ description: 'false: only the newest 100,000 users were looked at.' }),
  })
  .meta({ id: 'Funnel' });
export type FunnelView = z.infer<typeof FunnelView>;
