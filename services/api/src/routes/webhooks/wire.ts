import type { WebhookEndpointView } from '@gatebook/contract/webhooks/endpoints';
import { reject } from '@gatebook/domain/errors';
import type { ActiveWebhookEndpoint } from '@gatebook/domain/webhook/state';
import { toCursor } from '@gatebook/readmodel/events/cursor';
import { findWebhookEndpoint, type WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import type { EndpointState } from '@gatebook/readmodel/webhooks/webhook-deliveries';
import { resolveTargetProblem } from '@gatebook/runtime/outgoing/send-request';
import type { Deps } from '../../deps.ts';

export const tags = ['Webhooks'];

type WireDeps = Pick<Deps, 'responseCipher' | 'store' | 'deliveries'>;

/** In their order. */
export async function toEndpointViews(
  deps: WireDeps,
  projectId: string,
  endpoints: readonly WebhookEndpoint[],
): Promise<WebhookEndpointView[]> {
  const states = await deps.deliveries.states(projectId, endpoints);
  return Promise.all(states.map(([endpoint, state]) => toView(deps, projectId, endpoint, state)));
}

export async function toEndpointView(
  deps: WireDeps,
  projectId: string,
  endpoint: WebhookEndpoint,
): Promise<WebhookEndpointView> {
  const [view] = await toEndpointViews(deps, projectId, [endpoint]);
  return view ?? reject('WEBHOOK_ENDPOINT_NOT_FOUND');
}

async function toView(
  deps: WireDeps,
  projectId: string,
  endpoint: WebhookEndpoint,
  { place, lag, delivered, failed, pending, ...state }: EndpointState,
): Promise<WebhookEndpointView> {
  const { id, url, description, types, ordering, isEnabled, disabledReason, rateLimitPerSecond } = endpoint;
  return {
    ...{ id, url, description, types: types && [...types], ordering },
    ...{ is_enabled: isEnabled, disabled_reason: disabledReason, rate_limit_per_second: rateLimitPerSecond },
    header_names: Object.keys(endpoint.headers).sort(),
    cursor: await toCursor(deps, projectId, place),
    lag,
    failing_since_millis: state.failingSince,
    last_success_at_millis: state.lastSuccessAt,
    last_failure_at_millis: state.lastFailureAt,
    success_rate: state.successRate,
    p95_duration_in_millis: state.p95DurationMs,
    counts: { delivered, failed, pending },
    created_at_millis: endpoint.createdAt.getTime(),
  };
}

/** @throws DomainError WEBHOOK_ENDPOINT_NOT_FOUND */
export async function requireEndpoint(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  endpointId: string,
): Promise<WebhookEndpoint> {
  return (await findWebhookEndpoint(db, projectId, endpointId)) ?? reject('WEBHOOK_ENDPOINT_NOT_FOUND');
}

export async function findEndpointView(
  deps: Deps,
  projectId: string,
  endpointId: string,
): Promise<WebhookEndpointView> {
  return toEndpointView(deps, projectId, await requireEndpoint(deps, projectId, endpointId));
}

/** The endpoint after a command, for a response that does not wait for the read models. */
export const afterCommand = (
  before: WebhookEndpoint,
  { values, disabledReason }: ActiveWebhookEndpoint,
): WebhookEndpoint => ({ ...before, ...values, disabledReason, isEnabled: disabledReason === null });

/** Until then, earlier secrets sign deliveries too; null: there are none. `at`: in milliseconds. */
export function previousExpiry(secrets: readonly { expiresAt: string | null }[], at: number): number | null {
  const ends = secrets.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [Date.parse(expiresAt)]));
  const live = ends.filter((end) => end > at);
  return live.length === 0 ? null : Math.max(...live);
}

const resolveTimeoutMs = 2_000;

/** Names are resolved again for each delivery. @throws DomainError WEBHOOK_URL_NOT_ALLOWED */
export async function requireAllowedUrl({ config }: Pick<Deps, 'config'>, url: string): Promise<void> {
  const { allowPrivate } = config.outgoing;
  const reason = await resolveTargetProblem(url, { allowPrivate, timeoutMs: resolveTimeoutMs });
  if (reason !== null) reject('WEBHOOK_URL_NOT_ALLOWED', { reason });
}
