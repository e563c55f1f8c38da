import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import { typesNamed } from '@gatebook/domain/public-events/type-names';
import { publicEventTypes } from '@gatebook/domain/public-events/types';
import { typesOfUnrecorded } from '@gatebook/readmodel/events/unrecorded-events';
import { listWebhookEndpoints } from '@gatebook/readmodel/webhooks/endpoints';
import type { Deps } from '../../deps.ts';

type Scope = Pick<Deps, 'db' | 'store'> & { projectId: string };
/** `types`: those that at least one of the endpoints receives. */
export type WebhookReceivers = { endpoints: number; types: readonly string[] };

/** How many webhook endpoints receive an event through a write. `events`: all that the write would record. */
export async function findWebhookReceivers(
  { db, store, projectId }: Scope,
  events: readonly Recorded[],
): Promise<WebhookReceivers> {
  const enabled = (await listWebhookEndpoints(db, { projectId })).filter(({ isEnabled }) => isEnabled);
  const stopped = new Set(events.flatMap(stoppedEndpoint));
  const candidates = enabled.filter(({ id }) => !stopped.has(id));
  if (candidates.length === 0) return { endpoints: 0, types: [] };
  const told = await typesOfUnrecorded({ db, store }, projectId, atOwnPositions(events));
  const received = candidates.map(({ types }) =>
    (types ? typesNamed(types) : publicEventTypes).filter((type) => told.has(type)),
  );
  return {
    endpoints: received.filter((types) => types.length > 0).length,
    types: publicEventTypes.filter((type) => received.some((types) => types.includes(type))),
  };
}

const stoppingTypes: ReadonlySet<string> = new Set(['WebhookEndpointDisabled', 'WebhookEndpointDeleted']);
const stoppedEndpoint = ({ type, data }: DomainEvent): string[] =>
  stoppingTypes.has(type) ? [String(data.endpointId)] : [];

const atOwnPositions = (events: readonly Recorded[]): Recorded[] =>
  events.map((event, nth) => ({ ...event, position: event.position + BigInt(nth) }));
