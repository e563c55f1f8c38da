import { typesNamed } from './type-names.ts';
import { type PublicEventType, publicEventTypes } from './types.ts';

/** Fields of public events that metrics filter and group by. None names a user or contains personal data. */
export const eventFields = [
  'type',
  'actor',
  'team_id',
  'permission_id',
  'method',
  'provider_id',
  'second_factor',
  'is_impersonation',
  'is_anonymous',
  'reason',
] as const;
export type EventField = (typeof eventFields)[number];

/** Where a field is: in the event itself, or in these fields of the data of these types. */
const dataFields: Readonly<Record<Exclude<EventField, 'type' | 'actor'>, Readonly<Record<string, string>>>> = {
  team_id: {
    'team.*': 'id',
    'team_membership.*': 'team_id',
    'team_permission.*': 'team_id',
    'team_invitation.*': 'team_id',
    'api_key.*': 'team_id',
  },
  permission_id: { 'team_permission.*': 'id', 'project_permission.*': 'id', 'permission_definition.*': 'id' },
  method: { 'user.signed_in': 'method', 'session.created': 'method' },
  provider_id: {
    'user.signed_in': 'provider_id',
    'session.created': 'provider_id',
    'connected_account.*': 'provider_id',
  },
  second_factor: { 'user.signed_in': 'second_factor', 'session.created': 'second_factor' },
  is_impersonation: { 'user.signed_in': 'is_impersonation', 'session.created': 'is_impersonation' },
  is_anonymous: { 'user.created': 'is_anonymous', 'user.updated': 'is_anonymous' },
  reason: {
    'user.sign_in_failed': 'reason',
    'user.sessions_revoked': 'reason',
    'session.ended': 'reason',
    'session.revoked': 'reason',
    'webhook_endpoint.disabled': 'reason',
  },
};

const placesOf = (field: EventField): ReadonlyMap<PublicEventType, string | null> =>
  field === 'type' || field === 'actor'
    ? new Map(publicEventTypes.map((type) => [type, null]))
    : new Map(
        Object.entries(dataFields[field]).flatMap(([name, place]) =>
          typesNamed([name]).map((type) => [type, place] as const),
        ),
      );
const places = new Map(eventFields.map((field) => [field, placesOf(field)]));

/** The types of events that have a field. */
export const typesWithField = (field: EventField): PublicEventType[] => [...(places.get(field)?.keys() ?? [])];

type Event = { type: PublicEventType; actor: { kind: string }; data: Readonly<Record<string, unknown>> };

/** The value of a field as text; null: the event has none. */
export function fieldOf({ type, actor, data }: Event, field: string): string | null {
  if (field === 'type') return type;
  if (field === 'actor') return actor.kind;
  const place = places.get(field as EventField)?.get(type);
  const value = place ? data[place] : null;
  return value === null || value === undefined || value === '' ? null : String(value);
}

const ofUserItself: ReadonlySet<PublicEventType> = new Set([
  'user.created',
  'user.updated',
  'user.deleted',
  'user.erased',
]);

/** The user whom an event is about; null: nobody, or more than one. */
export function userOf({ type, data }: Pick<Event, 'type' | 'data'>): string | null {
  const id = ofUserItself.has(type) ? data.id : data.user_id;
  return typeof id === 'string' ? id : null;
}
