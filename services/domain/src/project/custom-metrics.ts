import { reject } from '../errors.ts';
import type { ProjectEvent } from './events.ts';
import { type CustomMetric, type CustomMetricDefinition, definitionFields } from './metric-definition.ts';
import type { ActiveProject } from './state.ts';

/** Each metric reads every event of its types. */
export const maxCustomMetrics = 20;

type OfMetric = { metricId: string; at: string };
type DefineMetric = { type: 'DefineMetric'; definition: CustomMetricDefinition } & OfMetric;
/** Undefined fields do not change. */
type RedefineMetric = { type: 'RedefineMetric'; change: CustomMetricChange } & OfMetric;
type DeleteMetric = { type: 'DeleteMetric' } & OfMetric;
export type CustomMetricChange = {
  readonly [Field in keyof CustomMetricDefinition]?: CustomMetricDefinition[Field] | undefined;
};
export type CustomMetricCommand = DefineMetric | RedefineMetric | DeleteMetric;

export function decideCustomMetric(command: CustomMetricCommand, project: ActiveProject): readonly ProjectEvent[] {
  const { projectId, customMetrics } = project;
  const { metricId, at } = command;
  if (command.type === 'DefineMetric') {
    if (customMetrics.length >= maxCustomMetrics) reject('CUSTOM_METRIC_LIMIT_REACHED', { limit: maxCustomMetrics });
    return [{ type: 'CustomMetricDefined', data: { projectId, metricId, ...command.definition, at } }];
  }
  const before = customMetrics.find((metric) => metric.metricId === metricId) ?? reject('CUSTOM_METRIC_NOT_FOUND');
  if (command.type === 'DeleteMetric') return [{ type: 'CustomMetricDeleted', data: { projectId, metricId, at } }];
  const given = Object.entries(command.change).filter(([, value]) => value !== undefined);
  const after: CustomMetric = { ...before, ...Object.fromEntries(given) };
  const changed = definitionFields.filter((field) => canonical(before[field]) !== canonical(after[field]));
  if (changed.length === 0) return [];
  return [{ type: 'CustomMetricChanged', data: { projectId, ...after, changed, at } }];
}

/** The same text for the same values, whatever the order of keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
      : value,
  );
