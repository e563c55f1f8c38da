import { describe, test } from 'vitest';
import { given } from '../spec.ts';
import { webhookDecider } from './decide.ts';
import type { WebhookEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const hours = (count: number) => new Date(Date.parse(at) + count * 3_600_000).toISOString();
const ids = { endpointId: '00000000-0000-4000-8000-000000000001', projectId: 'shop' };
const subjectId = '00000000-0000-4000-8000-000000000002';
const values = {
  url: 'https://shop.example/hooks',
  description: '',
  types: null,
  ordering: 'subject' as const,
  rateLimitPerSecond: null,
  headers: { 'x-key': 'one' },
};
const current = (secret: string) => ({ secret, expiresAt: null });
const data = { ...ids, subjectId, ...values, secrets: [current('a')], isEnabled: true, startAfter: null, at };
const created: WebhookEvent = { type: 'WebhookEndpointCreated', data };
const disabled: WebhookEvent = { type: 'WebhookEndpointDisabled', data: { ...ids, reason: 'gone', at } };
const deleted: WebhookEvent = { type: 'WebhookEndpointDeleted', data: { ...ids, at } };
const of = { projectId: 'shop', at };

describe('a webhook endpoint', () => {
  test('is created', () =>
    given(webhookDecider)
      .when({ type: 'CreateEndpoint', ...data })
      .then(created));

  test('keeps what a change does not name, and changes nothing if nothing differs', () => {
    given(webhookDecider, created)
      .when({ type: 'UpdateEndpoint', ...of, change: { url: 'https://other.example/', types: ['user.*'] } })
      .then({
        type: 'WebhookEndpointUpdated',
        data: {
          ...{ ...ids, subjectId, ...values, url: 'https://other.example/', types: ['user.*'] },
          ...{ changed: ['url', 'types'], at },
        },
      });
    given(webhookDecider, created)
      .when({ type: 'UpdateEndpoint', ...of, change: { url: values.url, types: undefined } })
      .then();
  });

  test('keeps headers that a change does not name, and loses those that it removes', () => {
    const change = (headers: Record<string, string | null>) =>
      ({ type: 'UpdateEndpoint', ...of, change: { headers } }) as const;
    const changed = (headers: Record<string, string>): WebhookEvent => ({
      type: 'WebhookEndpointUpdated',
      data: { ...ids, subjectId, ...values, headers, changed: ['headers'], at },
    });
    given(webhookDecider, created)
      .when(change({ 'a-key': 'two' }))
      .then(changed({ 'a-key': 'two', 'x-key': 'one' }));
    given(webhookDecider, created)
      .when(change({ 'x-key': null }))
      .then(changed({}));
    given(webhookDecider, created)
      .when(change({ 'x-key': 'one', 'a-key': null }))
      .then();
  });

  test('records that its secret was read', () =>
    given(webhookDecider, created)
      .when({ type: 'ReadSecret', ...of })
      .then({ type: 'WebhookSecretRead', data: { ...ids, at } }));

  test('is disabled for the first reason, and enabled again', () => {
    given(webhookDecider, created)
      .when({ type: 'DisableEndpoint', ...of, reason: 'gone' })
      .then(disabled);
    given(webhookDecider, created, disabled)
      .when({ type: 'DisableEndpoint', ...of, reason: 'failing' })
      .then();
    given(webhookDecider, created, disabled)
      .when({ type: 'EnableEndpoint', ...of })
      .then({ type: 'WebhookEndpointEnabled', data: { ...ids, at } });
    given(webhookDecider, created)
      .when({ type: 'EnableEndpoint', ...of })
      .then();
  });

  test('that was created disabled can be enabled', () =>
    given(webhookDecider, { type: 'WebhookEndpointCreated', data: { ...data, isEnabled: false } })
      .when({ type: 'EnableEndpoint', ...of })
      .then({ type: 'WebhookEndpointEnabled', data: { ...ids, at } }));

  test('is deleted for good', () => {
    given(webhookDecider, created)
      .when({ type: 'DeleteEndpoint', ...of })
      .then(deleted);
    given(webhookDecider, created, deleted)
      .when({ type: 'EnableEndpoint', ...of })
      .thenRejected('WEBHOOK_ENDPOINT_NOT_FOUND');
  });

  test('of another project, or unknown, is not found', () => {
    const remove = { type: 'DeleteEndpoint', projectId: 'other', at } as const;
    given(webhookDecider, created).when(remove).thenRejected('WEBHOOK_ENDPOINT_NOT_FOUND');
    given(webhookDecider).when(remove).thenRejected('WEBHOOK_ENDPOINT_NOT_FOUND');
  });
});

type Secrets = { secret: string; expiresAt: string | null }[];
const rotatedAt = (hour: number, previousExpiresAt: string, secrets: Secrets): WebhookEvent => ({
  type: 'WebhookSecretRotated',
  data: { ...ids, subjectId, secrets, previousExpiresAt, at: hours(hour) },
});
const rotate = (secret: string, hour: number, previousExpiresAt: string) =>
  ({ type: 'RotateSecret', projectId: 'shop', secret, previousExpiresAt, at: hours(hour) }) as const;

describe('check 13: a rotation', () => {
  const toB = rotatedAt(0, hours(24), [current('b'), { secret: 'a', expiresAt: hours(24) }]);
  const toC = rotatedAt(1, hours(25), [
    ...[current('c'), { secret: 'b', expiresAt: hours(25) }],
    { secret: 'a', expiresAt: hours(24) },
  ]);

  test('keeps the earlier secret until its end', () =>
    given(webhookDecider, created)
      .when(rotate('b', 0, hours(24)))
      .then(toB));
  test('without overlap ends all earlier secrets at once', () =>
    given(webhookDecider, created, toB)
      .when(rotate('c', 1, hours(1)))
      .then(rotatedAt(1, hours(1), [current('c')])));
  test('never makes an earlier secret live longer', () =>
    given(webhookDecider, created, toB)
      .when(rotate('c', 1, hours(25)))
      .then(toC));
  test('keeps at most three secrets', () =>
    given(webhookDecider, created, toB, toC)
      .when(rotate('d', 2, hours(26)))
      .then(
        rotatedAt(2, hours(26), [
          ...[current('d'), { secret: 'c', expiresAt: hours(26) }],
          { secret: 'b', expiresAt: hours(25) },
        ]),
      ));
  test('forgets secrets that have ended', () =>
    given(webhookDecider, created, toB)
      .when(rotate('c', 24, hours(48)))
      .then(rotatedAt(24, hours(48), [current('c'), { secret: 'b', expiresAt: hours(48) }])));
});
