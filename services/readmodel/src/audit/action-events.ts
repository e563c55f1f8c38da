import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import type { ReadDb } from '../read-db.ts';
import { anyAuditEvent } from './filters.ts';
import { listAuditRows, maxActionEvents } from './queries.ts';

const restSize = 500;
type Parts = { store: Pick<EventStore, 'readAt' | 'readProjects'>; db: ReadDb };
type Wanted = { projectId: string; actionId: string };

/** The events of one request in a project, oldest first. `hasMoreEvents`: these are the first ones. */
export type ActionEvents = { id: string; events: readonly Recorded[]; hasMoreEvents: boolean };

/** null if the audit log has no event of the request, or does not have it yet. */
export async function findActionEvents(parts: Parts, { projectId, actionId }: Wanted): Promise<ActionEvents | null> {
  const filters = { ...anyAuditEvent, requestId: actionId };
  const page = { order: 'asc', after: null, limit: maxActionEvents } as const;
  const { rows, next } = await listAuditRows(parts.db, projectId, filters, page);
  const positions = rows.map(({ position }) => position);
  const last = positions.at(-1);
  if (last === undefined) return null;
  const [found, rest] = await Promise.all([
    parts.store.readAt(positions, { large: true }),
    next === null ? readRest(parts, { projectId, actionId, after: last }) : [],
  ]);
  return { id: actionId, events: [...found, ...rest], hasMoreEvents: next !== null };
}

/**
 * What the audit log does not have yet: a batch of its projection can end between the events of one append. Usually the
 * next event is of another request, so it is read alone first.
 */
async function readRest(
  { store }: Parts,
  { projectId, actionId, after }: Wanted & { after: bigint },
): Promise<readonly Recorded[]> {
  const read = (limit: number) => store.readProjects([projectId], after, limit, { large: true });
  const isOther = ({ metadata }: Recorded) => metadata.requestId !== actionId;
  const [next] = (await read(1)).events;
  if (!next || isOther(next)) return [];
  const { events } = await read(restSize);
  const end = events.findIndex(isOther);
  return end === -1 ? events : events.slice(0, end);
}
