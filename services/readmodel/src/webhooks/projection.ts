import type { WebhookEvent } from '@gatebook/domain/webhook/events';
import { insert, type Projection, patch, type Row, remove } from '@gatebook/projections/changes';

type Values = Omit<Extract<WebhookEvent, { type: 'WebhookEndpointUpdated' }>['data'], 'changed'>;

const columnsOf = ({ url, description, types, ordering, rateLimitPerSecond, headers }: Values): Row => ({
  url: url ?? '',
  description,
  types,
  ordering,
  rate_limit_per_second: rateLimitPerSecond,
  headers: headers ?? {},
});

/** Stands for the place after the last public event of a position. */
const afterAll = 2_147_483_647;

export const webhooksProjection: Projection<WebhookEvent> = {
  WebhookEndpointCreated: ({ data, position }) => [
    insert('webhook_endpoints', {
      id: data.endpointId,
      project_id: data.projectId,
      ...columnsOf(data),
      secrets: data.secrets ?? [],
      disabled_reason: data.isEnabled ? null : 'manual',
      start_after: data.startAfter ?? { position: String(position), index: afterAll, nth: 0 },
      since: position,
      created_at: data.at,
    }),
  ],
  WebhookEndpointUpdated: ({ data }) => [patch('webhook_endpoints', { id: data.endpointId }, columnsOf(data))],
  WebhookSecretRotated: ({ data }) => [
    patch('webhook_endpoints', { id: data.endpointId }, { secrets: data.secrets ?? [] }),
  ],
  WebhookEndpointEnabled: ({ data }) => [
    patch('webhook_endpoints', { id: data.endpointId }, { disabled_reason: null }),
  ],
  WebhookEndpointDisabled: ({ data }) => [
    patch('webhook_endpoints', { id: data.endpointId }, { disabled_reason: data.reason }),
  ],
  WebhookEndpointDeleted: ({ data }) => [remove('webhook_endpoints', { id: data.endpointId })],
};
