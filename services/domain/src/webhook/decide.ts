import { type Decider, unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { findChangedFields, withoutUndefined } from '../project/config-changes.ts';
import { stateVersions } from '../state-versions.ts';
import type { WebhookDisabledReason, WebhookEvent } from './events.ts';
import {
  type ActiveWebhookEndpoint,
  evolveWebhook,
  initialState,
  type WebhookSecret,
  type WebhookState,
  type WebhookValues,
} from './state.ts';

type CreateEndpoint = { type: 'CreateEndpoint' } & Extract<WebhookEvent, { type: 'WebhookEndpointCreated' }>['data'];
type OfEndpoint<Type extends string> = { type: Type; projectId: string; at: string };
/** Undefined fields, and headers that are not named, do not change. null removes a header. */
export type WebhookChange = {
  [Field in Exclude<keyof WebhookValues, 'headers'>]?: WebhookValues[Field] | undefined;
} & { headers?: Readonly<Record<string, string | null>> | undefined };
type UpdateEndpoint = OfEndpoint<'UpdateEndpoint'> & { change: WebhookChange };
type RotateSecret = OfEndpoint<'RotateSecret'> & { secret: string; previousExpiresAt: string };
type DisableEndpoint = OfEndpoint<'DisableEndpoint'> & { reason: WebhookDisabledReason };
export type WebhookCommand =
  | CreateEndpoint
  | UpdateEndpoint
  | RotateSecret
  | OfEndpoint<'ReadSecret'>
  | OfEndpoint<'EnableEndpoint'>
  | DisableEndpoint
  | OfEndpoint<'DeleteEndpoint'>;

function decideWebhook(command: WebhookCommand, state: WebhookState): readonly WebhookEvent[] {
  if (command.type === 'CreateEndpoint') {
    if (state.status !== 'absent') throw new Error(`webhook endpoint ${command.endpointId} exists already`);
    const { type: _, ...data } = command;
    return [{ type: 'WebhookEndpointCreated', data: { ...data, headers: changeHeaders({}, data.headers ?? {}) } }];
  }
  if (state.status !== 'active' || state.projectId !== command.projectId) return reject('WEBHOOK_ENDPOINT_NOT_FOUND');
  const { endpointId, projectId, subjectId } = state;
  const { at } = command;
  switch (command.type) {
    case 'UpdateEndpoint':
      return updateEndpoint(command, state);
    case 'RotateSecret': {
      const { previousExpiresAt } = command;
      const data = { endpointId, projectId, subjectId, secrets: rotate(command, state.secrets), previousExpiresAt, at };
      return [{ type: 'WebhookSecretRotated', data }];
    }
    case 'ReadSecret':
      return [{ type: 'WebhookSecretRead', data: { endpointId, projectId, at } }];
    case 'EnableEndpoint':
      return state.disabledReason === null
        ? []
        : [{ type: 'WebhookEndpointEnabled', data: { endpointId, projectId, at } }];
    case 'DisableEndpoint':
      // The first reason stays.
      if (state.disabledReason !== null) return [];
      return [{ type: 'WebhookEndpointDisabled', data: { endpointId, projectId, reason: command.reason, at } }];
    case 'DeleteEndpoint':
      return [{ type: 'WebhookEndpointDeleted', data: { endpointId, projectId, at } }];
    default:
      return unreachable(command);
  }
}

function updateEndpoint({ change, at }: UpdateEndpoint, state: ActiveWebhookEndpoint): readonly WebhookEvent[] {
  const { endpointId, projectId, subjectId, values: before } = state;
  const { headers = {}, ...others } = change;
  const after = { ...before, ...withoutUndefined(others), headers: changeHeaders(before.headers, headers) };
  const changed = findChangedFields(before, after);
  if (changed.length === 0) return [];
  const types = after.types && [...after.types];
  const data = { endpointId, projectId, subjectId, ...after, types, changed, at };
  return [{ type: 'WebhookEndpointUpdated', data }];
}

/** In the order of their names, so that equal headers have equal JSON. */
function changeHeaders(
  before: WebhookValues['headers'],
  change: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const after = Object.entries({ ...before, ...change }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  return Object.fromEntries(after.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Secrets that sign deliveries at the same time. */
const maxLiveSecrets = 3;

/** Earlier secrets end at `previousExpiresAt`, or when they would have ended anyway. ISO times compare like texts. */
function rotate({ secret, previousExpiresAt, at }: RotateSecret, secrets: readonly WebhookSecret[]): WebhookSecret[] {
  const earlier = secrets.map((one) => {
    const endsFirst = one.expiresAt !== null && one.expiresAt < previousExpiresAt;
    return { secret: one.secret, expiresAt: endsFirst ? one.expiresAt : previousExpiresAt };
  });
  const live = earlier.filter(({ expiresAt }) => expiresAt !== null && expiresAt > at);
  return [{ secret, expiresAt: null }, ...live].slice(0, maxLiveSecrets);
}

export const webhookDecider: Decider<WebhookState, WebhookCommand, WebhookEvent> = {
  initialState,
  decide: decideWebhook,
  evolve: evolveWebhook,
  stateVersion: stateVersions.webhook,
};
