import type {
  CreateWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointChanges,
  WebhookOrdering,
} from '@gatebook/js/admin';
import type { EventTypePattern } from '@gatebook/js/events';
import { t } from '@lingui/core/macro';

/** `isKept`: an existing header, whose value is unknown and stays if none is entered. */
export type HeaderValue = { name: string; value: string; isKept: boolean };
export type EndpointValues = {
  url: string;
  description: string;
  /** Empty: all types. */
  types: string[];
  ordering: WebhookOrdering;
  /** Empty: no limit. */
  rateLimit: number | '';
  headers: HeaderValue[];
};

export const valuesOf = (endpoint: WebhookEndpoint | null): EndpointValues => ({
  url: endpoint?.url ?? '',
  description: endpoint?.description ?? '',
  types: [...(endpoint?.types ?? [])],
  ordering: endpoint?.ordering ?? 'subject',
  rateLimit: endpoint?.rateLimitPerSecond ?? '',
  headers: (endpoint?.headerNames ?? []).map((name) => ({ name, value: '', isKept: true })),
});

const optionsOf = ({ url, description, types, ordering, rateLimit }: EndpointValues) => ({
  url: url.trim(),
  description: description.trim(),
  types: types.length === 0 ? null : (types as EventTypePattern[]),
  ordering,
  rateLimitPerSecond: rateLimit === '' ? null : rateLimit,
});

/** Headers with a new value, by their name. */
const enteredHeaders = ({ headers }: EndpointValues): [string, string][] =>
  headers.flatMap(({ name, value, isKept }) => (isKept && value === '' ? [] : [[name.trim(), value.trim()]]));

export const creationOf = (values: EndpointValues): CreateWebhookEndpoint => ({
  ...optionsOf(values),
  headers: Object.fromEntries(enteredHeaders(values)),
});

/** Headers that are no longer listed are removed. */
export const changesOf = (endpoint: WebhookEndpoint, values: EndpointValues): WebhookEndpointChanges => {
  const names = values.headers.map(({ name }) => name.trim().toLowerCase());
  const removed = endpoint.headerNames.filter((name) => !names.includes(name));
  const headers = [...removed.map((name) => [name, null] as const), ...enteredHeaders(values)];
  return { ...optionsOf(values), ...(headers.length > 0 && { headers: Object.fromEntries(headers) }) };
};

export function urlFault(url: string): string | null {
  const parsed = URL.parse(url.trim());
  return parsed && /^https?:$/.test(parsed.protocol)
    ? null
    : t`Enter a complete URL, such as https://example.com/webhooks`;
}
