import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from './config.ts';
import { maxCustomMetrics } from './custom-metrics.ts';
import { projectDecider } from './decide.ts';
import type { ProjectEvent } from './events.ts';
import { changesCounts } from './metric-definition.ts';

const at = '2026-01-15T12:00:00.000Z';
const projectId = '00000000-0000-4000-8000-000000000001';
const subjectId = '00000000-0000-4000-8000-000000000002';
const parts = { config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings };
const created: ProjectEvent = {
  type: 'ProjectCreated',
  data: { projectId, subjectId, displayName: 'Shop', description: '', isProductionMode: false, ...parts, at },
};
const idOf = (n: number) => `00000000-0000-4000-8001-${String(n).padStart(12, '0')}`;
const definition = {
  displayName: 'Sign-ins',
  eventTypes: ['user.signed_in'],
  filter: { actor: 'user', method: 'otp' },
  groupBy: 'method',
  unit: 'day' as const,
  count: 'events' as const,
};
const defined = (n = 1): ProjectEvent => ({
  type: 'CustomMetricDefined',
  data: { projectId, metricId: idOf(n), ...definition, at },
});
const define = (n = 1) => ({ type: 'DefineMetric', metricId: idOf(n), definition, at }) as const;
const redefine = (change: object, n = 1) => ({ type: 'RedefineMetric', metricId: idOf(n), change, at }) as const;
const deletion = (n = 1) => ({ type: 'DeleteMetric', metricId: idOf(n), at }) as const;
const deleted = (n = 1): ProjectEvent => ({ type: 'CustomMetricDeleted', data: { projectId, metricId: idOf(n), at } });

describe('a custom metric', () => {
  test('is defined', () => given(projectDecider, created).when(define()).then(defined()));

  test('is limited in number, and a deleted one makes room', () => {
    const all = Array.from({ length: maxCustomMetrics }, (_, n) => defined(n));
    given(projectDecider, created, ...all)
      .when(define(99))
      .thenRejected('CUSTOM_METRIC_LIMIT_REACHED', { limit: 20 });
    given(projectDecider, created, ...all, deleted(3))
      .when(define(99))
      .then(defined(99));
  });

  test('keeps what a change does not name', () =>
    given(projectDecider, created, defined())
      .when(redefine({ unit: 'week', groupBy: null, count: undefined }))
      .then({
        type: 'CustomMetricChanged',
        data: {
          ...{ projectId, metricId: idOf(1), ...definition, unit: 'week', groupBy: null },
          ...{ changed: ['groupBy', 'unit'], at },
        },
      }));

  test('does not change if nothing differs, whatever the order of filters', () =>
    given(projectDecider, created, defined())
      .when(redefine({ displayName: 'Sign-ins', filter: { method: 'otp', actor: 'user' } }))
      .then());

  test('is deleted once', () => {
    given(projectDecider, created, defined()).when(deletion()).then(deleted());
    given(projectDecider, created, defined(), deleted()).when(deletion()).thenRejected('CUSTOM_METRIC_NOT_FOUND');
    given(projectDecider, created, defined()).when(redefine({}, 2)).thenRejected('CUSTOM_METRIC_NOT_FOUND');
  });
});

test('only the name can change without counting again', () => {
  expect(changesCounts(['displayName'])).toBe(false);
  for (const field of ['eventTypes', 'filter', 'groupBy', 'unit', 'count']) expect(changesCounts([field])).toBe(true);
});
