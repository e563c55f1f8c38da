import type {
  StartedWebhookReplay,
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookEndpoint,
  WebhookOrdering,
} from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import type { Tone } from '../../components/status-dot.tsx';
import { formatCount, formatDecimal, formatExactPercent } from '../../lib/format.ts';

export const webhooksHref = (projectId: string, endpointId?: string, deliveryId?: string): string =>
  [
    `/projects/${projectId}/webhooks`,
    ...(endpointId === undefined ? [] : [endpointId]),
    ...(deliveryId === undefined ? [] : ['deliveries', deliveryId]),
  ].join('/');

type Status = { tone: Tone; text: string };

/** The state of an endpoint in a word or two. */
export function statusOf({ isEnabled, disabledReason, failingSince }: EndpointState): Status {
  if (isEnabled) return failingSince ? { tone: 'busy', text: t`Failing` } : { tone: 'good', text: t`Enabled` };
  return disabledReason === 'manual' ? { tone: 'off', text: t`Disabled` } : { tone: 'bad', text: t`Disabled` };
}
type EndpointState = Pick<WebhookEndpoint, 'isEnabled' | 'disabledReason' | 'failingSince'>;

/** Why an endpoint was disabled without its owner; null if nothing is wrong. */
export function problemOf({ isEnabled, disabledReason, failingSince }: EndpointState): string | null {
  if (disabledReason === 'gone') {
    return t`This endpoint was disabled because its receiver answered 410 Gone. No event is lost: deliveries continue where they stopped once you enable it.`;
  }
  if (disabledReason === 'failing') {
    return t`This endpoint was disabled because all deliveries failed for five days. No event is lost: deliveries continue where they stopped once you enable it.`;
  }
  if (isEnabled && failingSince) {
    return t`All recent deliveries failed. After five days without a success, the endpoint is disabled, and the owners get an email.`;
  }
  return null;
}

export const deliveryStatuses: Readonly<Record<WebhookDeliveryStatus, Status>> = {
  delivered: { tone: 'good', text: t`Delivered` },
  pending: { tone: 'busy', text: t`Pending` },
  failed: { tone: 'bad', text: t`Failed` },
  parked: { tone: 'off', text: t`Parked` },
};

/** How often it was sent, and what the receiver answered last. */
export function attemptsText({
  attemptCount,
  lastStatusCode,
}: Pick<WebhookDelivery, 'attemptCount' | 'lastStatusCode'>) {
  if (attemptCount === 0) return t`no attempt yet`;
  return `${plural(attemptCount, { one: '# attempt', other: '# attempts' })}, ${lastStatusCode === null ? t`no response` : t`answered ${lastStatusCode}`}`;
}

const noResponseReasons: Readonly<Record<string, string>> = {
  timeout: t`timeout`,
  unreachable: t`the server could not be reached`,
  forbidden: t`the URL leads to a private network`,
  event_unavailable: t`the event no longer exists`,
};

/** Why an attempt got no response. */
export const noResponseText = (errorCode: string | null): string =>
  t`No response: ${noResponseReasons[errorCode ?? ''] ?? errorCode ?? t`unknown`}`;

/** A delivery that is due can wait for an earlier one, or for the rate limit. */
export const isDue = (nextAttemptAt: Date, now: Date): boolean => nextAttemptAt <= now;

/** How many events a replay sends. */
export const matchesText = ({ matched, isExact }: Pick<StartedWebhookReplay, 'matched' | 'isExact'>): string =>
  isExact ? plural(matched, { one: '# event', other: '# events' }) : t`${formatCount(matched)} or more events`;

export const orderings: readonly { value: WebhookOrdering; label: string; description: string }[] = [
  {
    value: 'subject',
    label: t`By user and team`,
    description: t`A failing delivery holds back later ones of the same user or team only.`,
  },
  { value: 'strict', label: t`Strict`, description: t`A failing delivery holds back all later ones.` },
  { value: 'none', label: t`None`, description: t`Nothing waits. Events can arrive out of order.` },
];

export const typesText = (types: readonly string[] | null): string =>
  types === null ? t`All events` : types.join(', ');

export const rateText = (rate: number | null): string => (rate === null ? '–' : formatExactPercent(rate));

export const durationText = (millis: number | null): string => {
  if (millis === null) return '–';
  return millis < 1_000 ? t`${millis} ms` : `${formatDecimal(millis / 1_000)} s`;
};
