import type { WebhookDisabledReason, WebhookEvent, WebhookOrdering } from './events.ts';

/** What the owner chooses. */
export type WebhookValues = {
  url: string;
  description: string;
  types: readonly string[] | null;
  ordering: WebhookOrdering;
  rateLimitPerSecond: number | null;
  headers: Readonly<Record<string, string>>;
};
/** `expiresAt`: ISO time; null: the current secret. */
export type WebhookSecret = { secret: string; expiresAt: string | null };
export type ActiveWebhookEndpoint = {
  status: 'active';
  endpointId: string;
  projectId: string;
  subjectId: string;
  values: WebhookValues;
  /** Newest first. Those that have expired stay until the next rotation. */
  secrets: readonly WebhookSecret[];
  /** null: it is enabled. */
  disabledReason: WebhookDisabledReason | null;
};
export type WebhookState =
  | { status: 'absent' }
  | ActiveWebhookEndpoint
  | { status: 'deleted'; endpointId: string; projectId: string };

export const initialState: WebhookState = { status: 'absent' };

export function evolveWebhook(state: WebhookState, event: WebhookEvent): WebhookState {
  if (event.type === 'WebhookEndpointCreated') {
    const { endpointId, projectId, subjectId, secrets, isEnabled } = event.data;
    const disabledReason = isEnabled ? null : 'manual';
    const values = valuesOf(event.data);
    return { status: 'active', endpointId, projectId, subjectId, values, secrets: secrets ?? [], disabledReason };
  }
  if (state.status !== 'active') return state;
  switch (event.type) {
    case 'WebhookEndpointUpdated':
      return { ...state, values: valuesOf(event.data) };
    case 'WebhookSecretRotated':
      return { ...state, secrets: event.data.secrets ?? [] };
    case 'WebhookSecretRead':
      return state;
    case 'WebhookEndpointEnabled':
      return { ...state, disabledReason: null };
    case 'WebhookEndpointDisabled':
      return { ...state, disabledReason: event.data.reason };
    case 'WebhookEndpointDeleted':
      return { status: 'deleted', endpointId: state.endpointId, projectId: state.projectId };
    default:
      event satisfies never;
      return state;
  }
}

type Values = Extract<WebhookEvent, { type: 'WebhookEndpointUpdated' }>['data'];

const valuesOf = ({
  url,
  description,
  types,
  ordering,
  rateLimitPerSecond,
  headers,
}: Omit<Values, 'changed'>): WebhookValues => ({
  // The URL and the headers are erased with the project.
  ...{ url: url ?? '', description, types, ordering, rateLimitPerSecond },
  headers: headers ?? {},
});
