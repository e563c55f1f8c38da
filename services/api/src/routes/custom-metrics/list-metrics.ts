import { CustomMetricListView } from '@gatebook/contract/custom-metrics';
import { listCustomMetrics } from '@gatebook/readmodel/custom-metrics/queries';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { fields, tags, toMetricViews } from './wire.ts';

export const listMetricsRoute = defineRoute({
  method: 'GET',
  path: '/internal/custom-metrics',
  access: adminOnly,
  tags,
  summary: 'List custom metrics',
  description: 'Oldest first, with how much of the past they have counted.',
  response: { 200: CustomMetricListView },
  handle: async ({ deps: { db }, caller: { projectId } }) => {
    const metrics = await listCustomMetrics(db, { projectId });
    return { items: await toMetricViews(db, projectId, metrics), is_paginated: false as const, fields };
  },
});
