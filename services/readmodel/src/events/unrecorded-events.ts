import type { Recorded } from '@gatebook/domain/event';
import type { PublicEventType } from '@gatebook/domain/public-events/types';
import type { Change } from '@gatebook/projections/changes';
import { dataOf } from './event-data.ts';
import { type FactParts, readFacts } from './event-facts.ts';
import { eventsProjection } from './projection.ts';
import type { EventRow } from './queries.ts';
import { listSlots } from './slots.ts';

/**
 * The types of the public events that one write would become. `events`: of the write, at the positions after the head
 * of the log.
 */
export async function typesOfUnrecorded(
  { db, store }: FactParts,
  projectId: string,
  events: readonly Recorded[],
): Promise<ReadonlySet<PublicEventType>> {
  const parts = { db, store: withEvents(store, events) };
  // One user of many is enough for a type.
  const range = { from: 0, userId: null, limit: 1 };
  const slots = (await Promise.all(rowsOf(events).map((row) => listSlots(parts, projectId, row, range)))).flat();
  const facts = await readFacts(parts, projectId, slots);
  return new Set(slots.flatMap(({ type }, nth) => (facts[nth] && dataOf(facts[nth]) ? [type] : [])));
}

type PublicRow = Extract<Change, { kind: 'insert' }>['row'];

/** What the projection would insert, without what the creation in the same write implies. */
function rowsOf(events: readonly Recorded[]): EventRow[] {
  const changes = events.flatMap((event) => eventsProjection[event.type]?.(event) ?? []);
  const rows = new Map<unknown, PublicRow>();
  for (const change of changes) if (change.kind === 'insert') rows.set(change.row.key, change.row);
  const told = [...rows.values()].filter(({ implied_by: creation }) => creation === null || !rows.has(creation));
  const last = events.at(-1)?.position;
  return told.map((row) => ({
    ...{ position: row.position, index: row.index, kind: row.kind, eventId: row.event_id },
    // As of the whole write, as it is told later.
    asOf: row.kind === 'user.created' || row.kind === 'team.created' ? last : row.as_of,
    ...{ userId: row.user_id, teamId: row.team_id, at: 0 },
    ...{ actorKind: row.actor_kind, actorId: row.actor_id, requestId: row.request_id },
  })) as unknown as EventRow[];
}

/** A log that shows more events than it has. */
function withEvents(store: FactParts['store'], added: readonly Recorded[]): FactParts['store'] {
  const addedTo = (stream: string) => added.filter((event) => event.stream === stream);
  return {
    revisionsOf: async (streams) => {
      const current = await store.revisionsOf(streams);
      return new Map([...current].map(([stream, revision]) => [stream, addedTo(stream).at(-1)?.revision ?? revision]));
    },
    readStreamPages: async function* (stream, unneeded, after = -1n) {
      yield* store.readStreamPages(stream, unneeded, after);
      yield addedTo(stream).filter(({ revision }) => revision > after);
    },
    readEarlier: async (before, unneeded) => {
      const found = await store.readEarlier(before, unneeded);
      return before.flatMap(({ stream, revision }) => [
        ...found.filter((event) => event.stream === stream),
        ...addedTo(stream).filter((event) => event.revision < revision),
      ]);
    },
    readAt: async (positions, unneeded) => [
      ...(await store.readAt(positions, unneeded)),
      ...added.filter(({ position }) => positions.includes(position)),
    ],
  };
}
