import { readIfPossible } from '@gatebook/commands/read-if-possible';
import { isReversible, reversibilityOfAll } from '@gatebook/commands/undo/reversibility';
import { roleToUndo } from '@gatebook/commands/undo/role-to-undo';
import { type Action, isUndo, undoAction } from '@gatebook/commands/undo/undo-action';
import { ActionParams, ActionView, UndoneView } from '@gatebook/contract/previews';
import { auditTypeOf } from '@gatebook/domain/audit/audit-types';
import { DomainError, reject } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import type { Definitions } from '@gatebook/domain/permission/effective';
import type { EventStore, Write } from '@gatebook/eventlog/port';
import { listErasedSubjects } from '@gatebook/readmodel/audit/queries';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { requireRole } from '../../roles.ts';
import { withoutErasedData } from '../audit/audit-texts.ts';
import { describeChanges, foldWrites, knownDefinitions } from './changes.ts';
import { type EventView, viewEvents } from './event-views.ts';
import { findAction } from './find-action.ts';
import { findUndoState, toConflicts, toUndoError, undoErrors } from './undo-state.ts';

const tags = ['Actions'];

/** The events of an action as the writes that recorded them. */
function writesOf(events: readonly Recorded[]): Write[] {
  return events.map(({ stream, revision, type, data }) => ({
    stream,
    expected: revision - 1n,
    events: [{ type, data }],
  }));
}

/** What the action changed, with the sizes and hashes of large values; nothing if it has too many events. */
async function readChanges(deps: Pick<Deps, 'db' | 'store'>, projectId: string, action: Action) {
  if (action.hasMoreEvents) return [];
  const clean = await findCleaner(deps, projectId, action);
  const large = action.events.filter(({ blobs = [] }) => blobs.length > 0);
  const complete = await deps.store.readAt(large.map(({ position }) => position));
  const byId = new Map(complete.map((event) => [event.id, event]));
  const events = action.events.map((event) => clean(byId.get(event.id) ?? event));
  return foldWrites(deps.store, writesOf(events), clean);
}

/** Leaves out personal data of erased users and teams, whose keys may not be destroyed yet. */
async function findCleaner(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  { events }: Action,
): Promise<(event: Recorded) => Recorded> {
  const ids = events.flatMap(({ type, data }) => {
    const { userId = null, teamId = null } = auditTypeOf(type)?.targets.of(data) ?? {};
    return [userId ?? [], teamId ?? []].flat();
  });
  const erased = await listErasedSubjects(db, projectId, [...new Set(ids)]);
  return (event) => withoutErasedData(event, { isErased: (id) => erased.has(id) });
}

/** The ID of the action that an action undoes, which changed the same things. */
async function findUndoneAction(store: EventStore, { events }: Action): Promise<string | null> {
  const undo = events.find(isUndo);
  if (!undo) return null;
  for (const stream of new Set(events.map((event) => event.stream))) {
    for await (const page of store.readStreamPages(stream, { personal: true, large: true })) {
      const undone = page.find(({ id }) => id === undo.metadata.causationId);
      if (undone) return undone.metadata.requestId;
    }
  }
  return null;
}

export const getActionRoute = defineRoute({
  method: 'GET',
  path: '/internal/actions/:action_id',
  access: adminOnly,
  opensDeletedProject: true,
  errors: ['ACTION_NOT_FOUND'],
  tags,
  summary: 'Get an action',
  description: 'All events of one request, by the ID of the request, and whether they can be undone.',
  params: ActionParams,
  response: { 200: ActionView },
  isTranslated: true,
  handle: async ({ deps, reply, caller, context, language, params }) => {
    const { projectId, project } = caller;
    const action = await findAction(deps, reply, { projectId, actionId: params.action_id });
    const { events } = action;
    const changes = (await readIfPossible(() => readChanges(deps, projectId, action))) ?? [];
    const permissions = knownDefinitions(changes, project.permissions);
    const { views, actorName } = await viewEvents(deps, { projectId, permissions, language }, events);
    const { kind = '', id = null } = events[0]?.metadata.actor ?? {};
    const times = events.map(({ committedAt }) => Date.parse(committedAt));
    return {
      id: action.id,
      actor: { kind, id, display_name: actorName },
      at_millis: times[0] ?? 0,
      events: events.map((event, nth) => ({
        id: event.id,
        ...(views[nth] as EventView),
        is_reversible: isReversible(event.type),
        at_millis: times[nth] ?? 0,
      })),
      changes: describeChanges(changes, permissions),
      undo: await findUndoState(deps, context, { action, caller, language }),
      undoes_action_id: await findUndoneAction(deps.store, action),
    };
  },
});

export const undoActionRoute = defineRoute({
  method: 'POST',
  path: '/internal/actions/:action_id/undo',
  access: adminOnly,
  role: 'support',
  opensDeletedProject: true,
  isPreviewable: true,
  errors: ['ACTION_NOT_FOUND', ...undoErrors],
  tags,
  summary: 'Undo an action',
  description:
    'Restores every field that the action changed, unless one of them has changed since: all or nothing. Sends nothing again, and revives no session. The undo is an action that can be undone.',
  params: ActionParams,
  response: { 200: UndoneView },
  handle: async ({ deps, request, reply, caller, context, params }) => {
    const { projectId, project } = caller;
    const action = await findAction(deps, reply, { projectId, actionId: params.action_id });
    requireRole(caller, roleToUndo(action));
    const writes: Write[] = [];
    const store = noteWrites(deps.store, writes);
    const { position } = await undoAction({ ...deps, store }, context, { action, project }).catch((error: unknown) =>
      rejectUndo(error, project.permissions),
    );
    await deps.projects.forget(projectId, position);
    // As after a deletion: until the erasure, the subject's key decrypts the responses.
    for (const id of listDeleted(writes)) await deps.idempotencyRecords.forget(id);
    const { reasons } = reversibilityOfAll(action.events.map(({ type }) => type));
    const folded = await foldWrites(deps.store, writes);
    const changes = describeChanges(folded, knownDefinitions(folded, project.permissions));
    const body = { action_id: request.id, undoes_action_id: action.id, changes, warnings: [...reasons] };
    return { position, body };
  },
});

/** Users and teams whose deletion is scheduled. */
const listDeleted = (writes: readonly Write[]) =>
  writes.flatMap(({ events }) =>
    events.flatMap(({ type, data }) => {
      if (type === 'UserDeletionScheduled') return [String(data.userId)];
      return type === 'TeamDeletionScheduled' ? [String(data.teamId)] : [];
    }),
  );

/** Notes what is appended, without guards. */
const noteWrites = (store: EventStore, writes: Write[]): EventStore => ({
  ...store,
  append: async (given, metadata) => {
    const appended = await store.append(given, metadata);
    writes.push(...given.filter(({ events }) => events.length > 0));
    return appended;
  },
});

function rejectUndo(error: unknown, definitions: Definitions): never {
  if (!(error instanceof DomainError)) throw error;
  const { code } = error;
  if (code === 'UNDO_CONFLICT') reject(code, { conflicts: toConflicts(error, definitions) });
  throw code === 'PREVIEW_OUTDATED' ? error : toUndoError(error);
}
