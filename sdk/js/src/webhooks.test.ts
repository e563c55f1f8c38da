import { expect, test } from 'vitest';
import { GatebookAdminApp } from './app/admin-app.ts';
import { createOwnerClient } from './client.ts';
import { type FakeAnswer, fakeNetwork, type SentRequest } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

function adminApp(answer: (request: SentRequest) => FakeAnswer) {
  const { network, requests } = fakeNetwork(answer);
  const facts = { baseUrl: 'http://gate.test', projectId: 'p1', tokenStore: 'memory' } as const;
  const app = new GatebookAdminApp({ ...facts, superSecretAdminKey: 's', parts: { network } });
  const calls = () =>
    requests.map(({ method, url, body }) => [method, url.replace('http://gate.test/api/v1', ''), body] as const);
  return { app, calls };
}

const endpoint = {
  ...{ id: 'w1', url: 'https://a.test/hooks', description: '', types: null, ordering: 'subject', is_enabled: true },
  ...{ disabled_reason: null, rate_limit_per_second: null, header_names: ['x_custom'], cursor: 'c', lag: 0 },
  ...{ failing_since_millis: 5, last_success_at_millis: 1, last_failure_at_millis: null, success_rate: 0.5 },
  ...{ p95_duration_in_millis: 20, counts: { delivered: 1, failed: 1, pending: 0 }, created_at_millis: 2 },
};

test('an endpoint is created with headers under their own names, and read with times as dates', async () => {
  const { app, calls } = adminApp(() => ({ json: { ...endpoint, secret: 'whsec_1' } }));
  const created = await app.createWebhookEndpoint({
    ...{ url: endpoint.url, types: ['user.*'], rateLimitPerSecond: 5, headers: { x_Custom: 'v' } },
  });
  expect(calls()).toEqual([
    [
      'POST',
      '/webhooks/endpoints',
      { url: endpoint.url, types: ['user.*'], rate_limit_per_second: 5, headers: { x_Custom: 'v' } },
    ],
  ]);
  expect(created).toMatchObject({
    ...{ secret: 'whsec_1', headerNames: ['x_custom'], p95DurationInMillis: 20, lastFailureAt: null },
    ...{ failingSince: new Date(5), lastSuccessAt: new Date(1), createdAt: new Date(2) },
  });
  expect(created).not.toHaveProperty('failingSinceMillis');
});

test('a delivery keeps the names of its headers', async () => {
  const attempt = {
    trigger: 'scheduled',
    status_code: null,
    error_code: 'timeout',
    duration_in_millis: 15_000,
    response_body: null,
  };
  const json = {
    ...{ id: 'd1', event_id: 'evt_1', type: 'user.created', status: 'pending', attempt_count: 1, endpoint_id: 'w1' },
    ...{ next_attempt_at_millis: 9, last_status_code: null, created_at_millis: 2 },
    request: { headers: { x_custom: '…' }, body: '{}' },
    attempts: [{ at_millis: 7, ...attempt }],
  };
  const { app, calls } = adminApp(() => ({ json }));
  expect(await app.getWebhookDelivery('d1')).toMatchObject({
    ...{ eventId: 'evt_1', nextAttemptAt: new Date(9), request: { headers: { x_custom: '…' }, body: '{}' } },
    attempts: [{ at: new Date(7), errorCode: 'timeout', durationInMillis: 15_000, statusCode: null }],
  });
  expect(calls()).toEqual([['GET', '/webhooks/deliveries/d1', undefined]]);
});

test('deliveries, replays and secrets are read and changed under the paths of the API', async () => {
  const { app, calls } = adminApp(({ url }) =>
    url.includes('/deliveries?') ? { json: { items: [], next_before: 'b' } } : { json: { success: true } },
  );
  expect(await app.listWebhookDeliveries('w1', { status: 'failed', limit: 5 })).toEqual({ items: [], nextBefore: 'b' });
  await app.rotateWebhookSecret('w1', { overlapInMillis: 0 });
  await app.replayWebhooks('w1', { sinceMillis: 1, only: 'missing', dryRun: true });
  await app.testWebhookEndpoint('w1', { type: 'user.created' });
  await app.resendWebhookDelivery('d1');
  await app.cancelWebhookReplay('r1');
  await app.deleteWebhookEndpoint('w1');
  expect(calls()).toEqual([
    ['GET', '/webhooks/endpoints/w1/deliveries?status=failed&limit=5', undefined],
    ['POST', '/webhooks/endpoints/w1/rotate-secret', { overlap_in_millis: 0 }],
    ['POST', '/webhooks/endpoints/w1/replay', { since_millis: 1, only: 'missing', dry_run: true }],
    ['POST', '/webhooks/endpoints/w1/test', { type: 'user.created' }],
    ['POST', '/webhooks/deliveries/d1/resend', {}],
    ['DELETE', '/webhooks/replays/r1', {}],
    ['DELETE', '/webhooks/endpoints/w1', {}],
  ]);
});

test('a test webhook of published apps ends in a result', async () => {
  const { app, calls } = adminApp(({ body }) => ({
    json: JSON.stringify(body).includes('w1') ? { success: true } : { success: false, error_message: 'No response.' },
  }));
  expect(await app.sendTestWebhook({ endpointId: 'w1' })).toEqual({ status: 'ok', data: undefined });
  const failed = { status: 'error', error: { errorMessage: 'No response.' } };
  expect(await app.sendTestWebhook({ endpointId: 'w2' })).toEqual(failed);
  expect(calls()[0]).toEqual(['POST', '/internal/send-test-webhook', { endpoint_id: 'w1' }]);
});

test('the holder of a token reads webhooks without a session', async () => {
  const { network, requests } = fakeNetwork(() => ({ json: { items: [], is_paginated: false } }));
  const client = createOwnerClient({
    ...{ baseUrl: 'http://gate.test', projectId: 'internal', tokenStore: createMemoryTokenStore(), network },
    publishableClientKey: 'pck_1',
  });
  expect(await client.webhooksPage('p1', 'token').webhooks.list()).toEqual([]);
  expect(requests[0]?.headers).toMatchObject({
    ...{ 'x-stack-admin-access-token': 'token', 'x-stack-access-type': 'admin', 'x-stack-project-id': 'p1' },
  });
});
