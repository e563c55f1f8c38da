import { defineMetric, deleteMetric, redefineMetric } from '@gatebook/commands/custom-metric/custom-metric';
import { Success } from '@gatebook/contract/common';
import {
  CustomMetricParams,
  CustomMetricPatch,
  CustomMetricView,
  NewCustomMetric,
} from '@gatebook/contract/custom-metrics';
import { reject } from '@gatebook/domain/errors';
import type { CustomMetric } from '@gatebook/domain/project/metric-definition';
import { findCustomMetric } from '@gatebook/readmodel/custom-metrics/queries';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute, type Written } from '../../http/define-route.ts';
import { tags, toMetricView, toMetricViews } from './wire.ts';

type WrittenMetric = { metric: CustomMetric; at: string; position: bigint | null };

async function findMetricView({ db }: Pick<Deps, 'db'>, projectId: string, metricId: string) {
  const metric = (await findCustomMetric(db, projectId, metricId)) ?? reject('CUSTOM_METRIC_NOT_FOUND');
  const [view] = await toMetricViews(db, projectId, [metric]);
  return view ?? reject('CUSTOM_METRIC_NOT_FOUND');
}

function answerMetric(
  deps: Deps,
  projectId: string,
  { metric, at, position }: WrittenMetric,
  createdAt = Date.parse(at),
): Written<CustomMetricView> {
  const decided = { ...metric, projectId, revision: '', createdAt, updatedAt: Date.parse(at) };
  return {
    position,
    body: () => findMetricView(deps, projectId, metric.metricId),
    stale: () => toMetricView(decided),
  };
}

export const createMetricRoute = defineRoute({
  method: 'POST',
  path: '/internal/custom-metrics',
  access: adminOnly,
  isPreviewable: true,
  errors: ['CUSTOM_METRIC_LIMIT_REACHED', 'PROJECT_NOT_FOUND'],
  tags,
  summary: 'Create a custom metric',
  description: 'Counts public events over time, first those of the past.',
  body: NewCustomMetric,
  response: { 201: CustomMetricView },
  handle: async ({ deps, caller: { projectId }, context, body }) => {
    const { display_name: displayName, event_types: eventTypes, filter = {}, group_by: groupBy = null } = body;
    const { unit, count = 'events' } = body;
    const definition = { displayName, eventTypes, filter: valuesOf(filter), groupBy, unit, count };
    return answerMetric(deps, projectId, await defineMetric(deps, context, { definition }));
  },
});

const valuesOf = (filter: NonNullable<NewCustomMetric['filter']>): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])));

export const updateMetricRoute = defineRoute({
  method: 'PATCH',
  path: '/internal/custom-metrics/:metric_id',
  access: adminOnly,
  isPreviewable: true,
  errors: ['CUSTOM_METRIC_NOT_FOUND', 'PROJECT_NOT_FOUND'],
  tags,
  summary: 'Update a custom metric',
  description:
    'Omitted fields are unchanged. Unless only the name changes, its events are counted again from the first.',
  params: CustomMetricParams,
  body: CustomMetricPatch,
  response: { 200: CustomMetricView },
  handle: async ({ deps, caller: { projectId }, context, params: { metric_id: metricId }, body }) => {
    const before = (await findCustomMetric(deps.db, projectId, metricId)) ?? reject('CUSTOM_METRIC_NOT_FOUND');
    const { display_name: displayName, event_types: eventTypes, filter, group_by: groupBy, unit, count } = body;
    const change = { displayName, eventTypes, filter: filter && valuesOf(filter), groupBy, unit, count };
    const written = await redefineMetric(deps, context, { metricId, change });
    return answerMetric(deps, projectId, written, before.createdAt);
  },
});

export const deleteMetricRoute = defineRoute({
  method: 'DELETE',
  path: '/internal/custom-metrics/:metric_id',
  access: adminOnly,
  isPreviewable: true,
  errors: ['CUSTOM_METRIC_NOT_FOUND', 'PROJECT_NOT_FOUND'],
  tags,
  summary: 'Delete a custom metric',
  description: 'Its counts are deleted within an hour.',
  params: CustomMetricParams,
  response: { 200: Success },
  handle: async ({ deps, context, params: { metric_id: metricId } }) => {
    const { position } = await deleteMetric(deps, context, { metricId });
    return answerSuccess(position);
  },
});
