import { expect, test } from 'vitest';
import { customMetricsClient } from './custom-metrics.ts';

const view = {
  ...{
    id: 'm',
    display_name: 'Sign-ins',
    event_types: ['user.signed_in'],
    filter: { team_id: 't' },
    group_by: 'method',
  },
  ...{ unit: 'day', count: 'events', is_complete: false, progress: 0.5, created_at_millis: 1, updated_at_millis: 2 },
};
const metric = {
  ...{ id: 'm', displayName: 'Sign-ins', eventTypes: ['user.signed_in'], filter: { team_id: 't' }, groupBy: 'method' },
  ...{ unit: 'day', count: 'events', isComplete: false, progress: 0.5, createdAt: new Date(1), updatedAt: new Date(2) },
};

function start(answer: unknown) {
  const calls: unknown[][] = [];
  const client = customMetricsClient((async (...call: unknown[]) => {
    calls.push(JSON.parse(JSON.stringify(call)));
    return answer;
  }) as Parameters<typeof customMetricsClient>[0]);
  return { client, calls };
}

test('metrics have fields in camelCase, and filters keep the names of event fields', async () => {
  const { client, calls } = start(view);
  const { displayName, eventTypes, filter, groupBy, unit } = metric;
  const input = { displayName, eventTypes, filter, groupBy, unit } as Parameters<typeof client.create>[0];
  expect(await client.create(input)).toEqual(metric);
  expect(await client.update('m', { groupBy: null })).toEqual(metric);
  await client.delete('m/1');
  const { display_name, event_types, group_by } = view;
  expect(calls).toEqual([
    ['POST', '/internal/custom-metrics', { unit, filter, display_name, event_types, group_by }],
    ['PATCH', '/internal/custom-metrics/m', { group_by: null }],
    ['DELETE', '/internal/custom-metrics/m%2F1', {}],
  ]);
});

test('a list says which types of events have a field', async () => {
  const { client } = start({ items: [view], fields: [{ field: 'method', event_types: ['user.signed_in'] }] });
  expect(await client.list()).toEqual({
    items: [metric],
    fields: [{ field: 'method', eventTypes: ['user.signed_in'] }],
  });
});

test('values are found in a range, with times as dates', async () => {
  const values = { unit: 'day', total: 3, counts: [3], groups: [], progress: 1 };
  const intervals = [{ start_millis: 1, end_millis: 2 }];
  const { client, calls } = start({ ...values, intervals, is_complete: true });
  const expected = { ...values, isComplete: true, intervals: [{ start: new Date(1), end: new Date(2) }] };
  expect(await client.findValues('m')).toEqual(expected);
  await client.findValues('m', { from: new Date(5), until: new Date(9) });
  expect(calls.map(([, path]) => path)).toEqual([
    '/internal/custom-metrics/m/values',
    '/internal/custom-metrics/m/values?from_millis=5&until_millis=9',
  ]);
});
