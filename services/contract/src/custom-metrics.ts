import { maxCustomMetrics } from '@gatebook/domain/project/custom-metrics';
import { metricCounts, metricUnits } from '@gatebook/domain/project/metric-definition';
import { type EventField, eventFields, typesWithField } from '@gatebook/domain/public-events/event-fields';
import { isTypeName, typesNamed } from '@gatebook/domain/public-events/type-names';
import { z } from 'zod';
import { filledTextUpTo, millis as millisField, textOf, textUpTo, uuid } from './common.ts';

const typeName = z
  .string()
  .max(60)
  .regex(/^[a-z_.*]+$/)
  .refine(isTypeName, 'must be a type of event, or the beginning of some with .*');
const eventTypes = z
  .array(textOf(typeName))
  .min(1)
  .max(10)
  .transform((names) => [...new Set(names)])
  .meta({ description: 'Types such as `user.created` or `user.*`.' });

/** `type` is what `event_types` are for. */
const filterFields = eventFields.filter((field) => field !== 'type');
type FilterField = Exclude<EventField, 'type'>;
const filter = z
  .strictObject(
    Object.fromEntries(filterFields.map((field) => [field, textUpTo(256).optional()])) as Record<
      FilterField,
      z.ZodOptional<ReturnType<typeof textUpTo>>
    >,
  )
  .meta({ description: 'Values of fields, as text. Only events that have all of them are counted.' });

const displayName = filledTextUpTo(100);
const groupBy = z.enum(eventFields).nullable().meta({ description: 'The field by which counts are grouped.' });
const unit = z.enum(metricUnits).meta({ description: 'Of UTC. Weeks begin on Monday.' });
const count = z.enum(metricCounts).meta({
  description: '`distinct_users`: each user counts once per interval, and events that are about no user do not count.',
});

type Fields = {
  event_types?: readonly string[] | undefined;
  filter?: Readonly<Partial<Record<FilterField, string>>> | undefined;
  group_by?: EventField | null | undefined;
};
const isFieldOf = (field: EventField, names: readonly string[]) =>
  typesWithField(field).some((type) => typesNamed(names).includes(type));
/** The fields that no event of the types has. */
const strayFields = ({ event_types: names, filter: values = {}, group_by: group }: Fields): EventField[] =>
  names === undefined
    ? []
    : [...(Object.keys(values) as FilterField[]), ...(group ? [group] : [])].filter(
        (field) => !isFieldOf(field, names),
      );
const fieldsExist = { message: 'No event of these types has a field of filter or group_by.' };

export const NewCustomMetric = z
  .strictObject({
    display_name: displayName,
    event_types: eventTypes,
    filter: filter.optional(),
    group_by: groupBy.optional(),
    unit,
    count: count.optional(),
  })
  .refine((metric) => strayFields(metric).length === 0, fieldsExist)
  .meta({ id: 'NewCustomMetric', description: `A project can have ${maxCustomMetrics}.` });
export type NewCustomMetric = z.infer<typeof NewCustomMetric>;

export const CustomMetricPatch = z
  .strictObject({
    display_name: displayName.optional(),
    event_types: eventTypes.optional(),
    filter: filter.optional(),
    group_by: groupBy.optional(),
    unit: unit.optional(),
    count: count.optional(),
  })
  .refine((metric) => strayFields(metric).length === 0, fieldsExist)
  .meta({ id: 'CustomMetricPatch' });
export type CustomMetricPatch = z.infer<typeof CustomMetricPatch>;

export const CustomMetricParams = z.strictObject({ metric_id: uuid });

const millis = z.number().int();
const progress = {
  is_complete: z.boolean().meta({ description: 'false: events of the past are still being counted.' }),
  progress: z.number().meta({ description: 'How much of the past is counted, from 0 to 1.' }),
};

export const CustomMetricView = z
  .object({
    id: z.uuid(),
    display_name: z.string(),
    event_types: z.array(z.string()),
    filter: z.record(z.string(), z.string()),
    group_by: z.string().nullable(),
    unit: z.enum(metricUnits),
    count: z.enum(metricCounts),
    ...progress,
    created_at_millis: millis,
    updated_at_millis: millis,
  })
  .meta({ id: 'CustomMetric' });
export type CustomMetricView = z.infer<typeof CustomMetricView>;

export const CustomMetricListView = z
  .object({
    items: z.array(CustomMetricView),
    is_paginated: z.literal(false),
    fields: z
      .array(z.object({ field: z.enum(eventFields), event_types: z.array(z.string()) }))
      .meta({ description: 'Fields to filter and group by, with the types of events that have them.' }),
  })
  .meta({ id: 'CustomMetricList' });
export type CustomMetricListView = z.infer<typeof CustomMetricListView>;

export const CustomMetricValuesQuery = z
  .strictObject({
    from_millis: millisField.optional().meta({ description: 'Absent: so that there are 30 intervals.' }),
    until_millis: millisField.optional().meta({ description: 'Exclusive. Absent: now.' }),
  })
  .refine(({ from_millis: from = 0, until_millis: until = Number.MAX_SAFE_INTEGER }) => from < until, {
    message: 'until_millis must be after from_millis',
  });
export type CustomMetricValuesQuery = z.infer<typeof CustomMetricValuesQuery>;

/** One count per interval. */
const counts = z.array(z.number().int());

export const CustomMetricValuesView = z
  .object({
    unit: z.enum(metricUnits),
    intervals: z
      .array(z.object({ start_millis: millis, end_millis: millis }))
      .meta({ description: 'Those that the range touches, oldest first: the last 1,000 of them.' }),
    total: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'null for distinct users, who can be counted in more than one interval.' }),
    counts,
    groups: z
      .array(z.object({ value: z.string().nullable(), counts }))
      .meta({ description: 'The ten largest groups, largest first; value is null for the unknown and all others.' }),
    ...progress,
  })
  .meta({ id: 'CustomMetricValues' });
export type CustomMetricValuesView = z.infer<typeof CustomMetricValuesView>;
