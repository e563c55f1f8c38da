import type {
  StartedWebhookReplay,
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookEndpoint,
  WebhookOrdering,
} from '@gatebook/js/admin';
import type { Tone } from '../../components/status-dot.tsx';
import { formatCount, plural } from '../../lib/format.ts';

export const webhooksHref = (projectId: string, endpointId?: string, deliveryId?: string): string =>
  [
    `/projects/${projectId}/webhooks`,
    ...(endpointId === undefined ? [] : [endpointId]),
    ...(deliveryId === undefined ? [] : ['deliveries', deliveryId]),
  ].join('/');

type Status = { tone: Tone; text: string };

/** The state of an endpoint in a word or two. */
export function statusOf({ isEnabled, disabledReason, failingSince }: EndpointState): Status {
  if (isEnabled) return failingSince ? { tone: 'busy', text: 'Failing' } : { tone: 'good', text: 'Enabled' };
  return disabledReason === 'manual' ? { tone: 'off', text: 'Disabled' } : { tone: 'bad', text: 'Disabled' };
}
type EndpointState = Pick<WebhookEndpoint, 'isEnabled' | 'disabledReason' | 'failingSince'>;

/** Why an endpoint was disabled without its owner; null if nothing is wrong. */
export function problemOf({ isEnabled, disabledReason, failingSince }: EndpointState): string | null {
  if (disabledReason === 'gone') {
    return 'This endpoint was disabled because its receiver answered 410 Gone. No event is lost: deliveries continue where they stopped once you enable it.';
  }
  if (disabledReason === 'failing') {
    return 'This endpoint was disabled because all deliveries failed for five days. No event is lost: deliveries continue where they stopped once you enable it.';
  }
  if (isEnabled && failingSince) {
    return 'All recent deliveries failed. After five days without a success, the endpoint is disabled, and the owners get an email.';
  }
  return null;
}

export const deliveryStatuses: Readonly<Record<WebhookDeliveryStatus, Status>> = {
  delivered: { tone: 'good', text: 'Delivered' },
  pending: { tone: 'busy', text: 'Pending' },
  failed: { tone: 'bad', text: 'Failed' },
  parked: { tone: 'off', text: 'Parked' },
};

/** How often it was sent, and what the receiver answered last. */
export function attemptsText({
  attemptCount,
  lastStatusCode,
}: Pick<WebhookDelivery, 'attemptCount' | 'lastStatusCode'>) {
  if (attemptCount === 0) return 'no attempt yet';
  return `${plural(attemptCount, 'attempt')}, ${lastStatusCode === null ? 'no response' : `answered ${lastStatusCode}`}`;
}

/** How many events a replay sends. */
export const matchesText = ({ matched, isExact }: Pick<StartedWebhookReplay, 'matched' | 'isExact'>): string =>
  isExact ? plural(matched, 'event') : `${formatCount(matched)} or more events`;

export const orderings: readonly { value: WebhookOrdering; label: string; description: string }[] = [
  {
    value: 'subject',
    label: 'By user and team',
    description: 'A failing delivery holds back later ones of the same user or team only.',
  },
  { value: 'strict', label: 'Strict', description: 'A failing delivery holds back all later ones.' },
  { value: 'none', label: 'None', description: 'Nothing waits. Events can arrive out of order.' },
];

export const typesText = (types: readonly string[] | null): string =>
  types === null ? 'All events' : types.join(', ');

/** `99.8 %`; never rounded up to 100. */
export function rateText(rate: number | null): string {
  if (rate === null) return '–';
  return rate === 1 ? '100%' : `${(Math.floor(rate * 1_000) / 10).toFixed(1)}%`;
}

export const durationText = (millis: number | null): string => {
  if (millis === null) return '–';
  return millis < 1_000 ? `${millis} ms` : `${(millis / 1_000).toFixed(1)} s`;
};
