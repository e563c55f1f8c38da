import type { Recorded } from '@gatebook/domain/event';
import { initialPermissions } from '@gatebook/domain/permission/definition';
import { type Definitions, withSystemPermissions } from '@gatebook/domain/permission/effective';
import { findNames, type Names } from '@gatebook/readmodel/audit/names';
import {
  type AuditRow,
  listErasedSubjects,
  listEventsOfUsers,
  listNamingEvents,
} from '@gatebook/readmodel/audit/queries';
import type { Deps } from '../../deps.ts';

/** A row and its event; null if the log has lost it or it cannot be read. */
export type AuditEntry = { row: AuditRow; event: Recorded | null };

/** What texts and targets of some entries refer to. */
export type References = {
  names: Names;
  isErased: (subjectId: string) => boolean;
  /** ID of a permission at the time of the event, and its current one; null if it is unknown or has no definition. */
  permissionId: (key: string, entry: AuditEntry) => { past: string | null; current: string | null };
  /** The email address of a channel at the time of the event. */
  address: (channelId: string, entry: AuditEntry) => string | null;
};

type Parts = Pick<Deps, 'db' | 'store'>;
type Project = { projectId: string; permissions: Definitions };

/** Reads the events of rows in few statements, without large values. */
export async function readEntries({ store }: Pick<Deps, 'store'>, rows: readonly AuditRow[]): Promise<AuditEntry[]> {
  const events = await store.readAt(
    rows.map(({ position }) => position),
    { large: true },
  );
  const byId = new Map(events.filter(({ unreadable }) => !unreadable).map((event) => [event.id, event]));
  return rows.map((row) => ({ row, event: byId.get(row.eventId) ?? null }));
}

export async function findReferences(
  { db, store }: Parts,
  { projectId, permissions }: Project,
  entries: readonly AuditEntry[],
): Promise<References> {
  const rows = entries.map(({ row }) => row);
  const [names, erased, erasedOwners, definitions, addresses] = await Promise.all([
    findNames(db, projectId, namedIds(entries)),
    listErasedSubjects(db, projectId, subjectsOf(rows)),
    listErasedSubjects(db, 'internal', ownersOf(entries)),
    readDefinitions({ db, store }, projectId, entries),
    readAddresses({ db, store }, projectId, entries),
  ]);
  const ids = new Map(withSystemPermissions(permissions).map(({ key, id }) => [key, id]));
  return {
    names,
    isErased: (id) => erased.has(id) || erasedOwners.has(id),
    permissionId: (key, { row }) => {
      const current = ids.get(key) ?? null;
      const defined = newestBefore(definitions, row, ({ data }) => data.key === key);
      if (defined) return { past: asText(defined.data.id), current };
      // The permissions of a new project have no event until they change.
      return { past: initialPermissions.some((initial) => initial.key === key) ? key : current, current };
    },
    address: (channelId, { row }) =>
      asText(newestBefore(addresses, row, ({ data }) => data.channelId === channelId)?.data.value),
  };
}

const asText = (value: unknown) => (typeof value === 'string' ? value : null);

const newestBefore = (events: readonly Recorded[], { position }: AuditRow, isMeant: (event: Recorded) => boolean) =>
  events.findLast((event) => event.position <= position && isMeant(event));

const present = (ids: readonly (string | null | undefined)[]) => [
  ...new Set(ids.filter((id) => typeof id === 'string')),
];
/** IDs of objects may be of any form. */
const uuids = (ids: readonly (string | null | undefined)[]) =>
  present(ids).filter((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id));

function namedIds(entries: readonly AuditEntry[]) {
  const rows = entries.map(({ row }) => row);
  const keys = (type: string) => rows.filter((row) => row.objectType === type).map(({ objectId }) => objectId);
  const actors = actorsOf(entries);
  const people = actors.filter(({ kind }) => kind === 'user' || kind === 'owner');
  const servers = actors.filter(({ kind }) => kind === 'server' || kind === 'admin');
  const teamsInData = entries.map(({ event }) => asText(event?.data.teamId));
  return {
    users: uuids([...rows.map(({ userId }) => userId), ...people.map(({ id }) => id)]),
    teams: uuids([...rows.map(({ teamId }) => teamId), ...teamsInData]),
    projectKeys: uuids([...keys('project_key'), ...servers.map(({ id }) => id)]),
    apiKeys: uuids(keys('api_key')),
    webhookEndpoints: uuids(keys('webhook_endpoint')),
  };
}

const actorsOf = (entries: readonly AuditEntry[]) =>
  entries.flatMap(({ row, event }) => [
    { kind: row.actorKind, id: row.actorId },
    ...(event?.metadata.actor.impersonator ? [event.metadata.actor.impersonator] : []),
  ]);
const ownersOf = (entries: readonly AuditEntry[]) =>
  uuids(actorsOf(entries).flatMap(({ kind, id }) => (kind === 'owner' ? [id] : [])));
const subjectsOf = (rows: readonly AuditRow[]) =>
  uuids(
    rows.flatMap(({ userId, teamId, actorKind, actorId }) => [userId, teamId, actorKind === 'user' ? actorId : null]),
  );

const lastOf = (rows: readonly AuditRow[]) =>
  rows.reduce((last, { position }) => (position > last ? position : last), 0n);

async function readDefinitions({ db, store }: Parts, projectId: string, entries: readonly AuditEntry[]) {
  const rows = entries.map(({ row }) => row);
  const keys = present(rows.map(({ objectType, objectId }) => (objectType === 'permission' ? objectId : null)));
  const types = ['PermissionDefinitionCreated', 'PermissionDefinitionChanged'];
  const found = await listNamingEvents(db, projectId, { ids: keys, types, until: lastOf(rows) });
  return readInOrder(store, found, entries);
}

async function readAddresses({ db, store }: Parts, projectId: string, entries: readonly AuditEntry[]) {
  const users = uuids(entries.map(({ row, event }) => (event?.data.channelId ? row.userId : null)));
  const types = ['ContactChannelAdded', 'ContactChannelValueChanged'];
  const until = lastOf(entries.map(({ row }) => row));
  const found = await listEventsOfUsers(db, projectId, { ids: users, types, until });
  return readInOrder(store, found, entries);
}

/** The events at these positions, as far as they can be read. Those of the page were read without large values. */
async function readInOrder(
  store: Parts['store'],
  positions: readonly bigint[],
  page: readonly AuditEntry[],
): Promise<readonly Recorded[]> {
  const known = new Map(page.flatMap(({ event }) => (event && !event.blobs ? [[event.position, event]] : [])));
  const missing = positions.filter((position) => !known.has(position));
  const read = missing.length > 0 ? await store.readAt(missing) : [];
  const events = [...read.filter(({ unreadable }) => !unreadable), ...positions.flatMap((at) => known.get(at) ?? [])];
  return events.sort((a, b) => (a.position < b.position ? -1 : 1));
}
