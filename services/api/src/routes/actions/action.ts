import { isReversible, isTechnical, reversibilityOfAll } from '@gatebook/commands/undo/reversibility';
import {
  type Action,
  type UndoConflict as Conflict,
  checkUndo,
  isUndo,
  undoAction,
} from '@gatebook/commands/undo/undo-action';
import { rejections } from '@gatebook/contract/plain-errors';
import { ActionParams, ActionView, type UndoConflict, UndoneView } from '@gatebook/contract/previews';
import { snakeCase } from '@gatebook/domain/audit/fields';
import { DomainError, type DomainErrorCode, reject } from '@gatebook/domain/errors';
import type { Definitions } from '@gatebook/domain/permission/effective';
import type { EventStore, Write } from '@gatebook/eventlog/port';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { targetOfEvent, targetOfStream } from '../../targets.ts';
import { describeChanges, foldWrites, withPermissionIds } from './changes.ts';
import { eventText } from './event-text.ts';
import { findAction } from './find-action.ts';
import { withoutSecrets } from './hide-values.ts';

const tags = ['Actions'];

/** The events of an action as the writes that recorded them. */
function writesOf({ events }: Action): Write[] {
  return events.map(({ stream, revision, type, data }) => ({
    stream,
    expected: revision - 1n,
    events: [{ type, data }],
  }));
}

type UndoFacts = ActionView['undo'];

/** What an undo would answer now. */
async function undoStateOf(
  check: () => Promise<void>,
  { events }: Action,
  definitions: Definitions,
): Promise<UndoFacts> {
  const { isReversible: isPossible, reasons } = reversibilityOfAll(events.map(({ type }) => type));
  const facts: UndoFacts = { state: 'not_reversible', reasons: [...reasons], conflicts: [], undone_by_action_id: null };
  if (!isPossible) return facts;
  try {
    await check();
    return { ...facts, state: reasons.length > 0 ? 'partial' : 'possible' };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, details } = error;
    if (code === 'ACTION_ALREADY_UNDONE')
      return { ...facts, state: 'undone', undone_by_action_id: String(details.by_action_id) };
    if (code === 'UNDO_CONFLICT') return { ...facts, state: 'conflict', conflicts: toConflicts(error, definitions) };
    return { ...facts, reasons: reasonsOf(error) };
  }
}

/** Why the commands reject that restore the values. */
function reasonsOf({ code, details }: DomainError): string[] {
  if (code === 'ACTION_NOT_REVERSIBLE') return details.reasons as string[];
  const { text } = rejections[code];
  return [typeof text === 'string' ? text : text(details)];
}

function toConflicts({ details }: DomainError, definitions: Definitions): UndoConflict[] {
  return (details.conflicts as readonly Conflict[]).map(({ stream, path, restored, current, changedByEventId }) => {
    const [field, name] = [fieldNameOf(path, definitions), path.at(-1) ?? ''];
    const show = (value: unknown) =>
      (withoutSecrets({ [snakeCase(name)]: value ?? null }) as Record<string, never>)[snakeCase(name)] ?? null;
    return {
      target: targetOfStream(stream),
      field,
      restored_value: show(restored),
      current_value: show(current),
      changed_by_event_id: changedByEventId,
    };
  });
}

/** The name of a restored value in requests. */
function fieldNameOf(path: readonly string[], definitions: Definitions): string {
  const [first = '', ...rest] = path;
  if (first === 'membership') return rest.length === 0 ? 'status' : withPermissionIds(rest.join('.'), definitions);
  const isConfig = first === 'config' || first === 'settings';
  const names = isConfig ? path.filter((name) => name !== 'switches').map(snakeCase) : path;
  return withPermissionIds(names.join('.'), definitions);
}

/** The ID of the action that an action undoes, which changed the same things. */
async function findUndoneAction(store: EventStore, { events }: Action): Promise<string | null> {
  const undo = events.find(isUndo);
  if (!undo) return null;
  for (const stream of new Set(events.map((event) => event.stream))) {
    const { events: history } = await store.readStream(stream, { large: true });
    const undone = history.find(({ id }) => id === undo.metadata.causationId);
    if (undone) return undone.metadata.requestId;
  }
  return null;
}

export const getActionRoute = defineRoute({
  method: 'GET',
  path: '/internal/actions/:action_id',
  access: adminOnly,
  errors: ['ACTION_NOT_FOUND'],
  tags,
  summary: 'Get an action',
  description: 'All events of one request, by the ID of the request, and whether they can be undone.',
  params: ActionParams,
  response: { 200: ActionView },
  handle: async ({ deps, caller: { projectId, project }, context, params }) => {
    const { permissions } = project;
    const action = await findAction(deps.store, projectId, params.action_id);
    const [first] = action.events;
    const { kind = '', id = null } = first?.metadata.actor ?? {};
    return {
      id: action.id,
      actor: { kind, id, display_name: null },
      at_millis: Date.parse(first?.committedAt ?? ''),
      events: action.events.map((event) => ({
        id: event.id,
        type: event.type,
        targets: [targetOfEvent(event, event.stream)],
        text: eventText(event, permissions),
        is_technical: isTechnical(event.type),
        is_reversible: isReversible(event.type),
        at_millis: Date.parse(event.committedAt),
      })),
      changes: describeChanges(await foldWrites(deps.store, writesOf(action)), permissions),
      undo: await undoStateOf(() => checkUndo(deps, context, { action, project }), action, permissions),
      undoes_action_id: await findUndoneAction(deps.store, action),
    };
  },
});

const undoErrors = [
  'ACTION_NOT_FOUND',
  'ACTION_NOT_REVERSIBLE',
  'ACTION_ALREADY_UNDONE',
  'UNDO_CONFLICT',
] as const satisfies readonly DomainErrorCode[];

export const undoActionRoute = defineRoute({
  method: 'POST',
  path: '/internal/actions/:action_id/undo',
  access: adminOnly,
  isPreviewable: true,
  errors: undoErrors,
  tags,
  summary: 'Undo an action',
  description:
    'Restores every field that the action changed, unless one of them has changed since: all or nothing. Sends nothing again, and revives no session. The undo is an action that can be undone.',
  params: ActionParams,
  response: { 200: UndoneView },
  handle: async ({ deps, request, caller: { projectId, project }, context, params }) => {
    const { permissions } = project;
    const action = await findAction(deps.store, projectId, params.action_id);
    const writes: Write[] = [];
    const store = noteWrites(deps.store, writes);
    const { position } = await undoAction({ ...deps, store }, context, { action, project }).catch((error: unknown) =>
      rejectUndo(error, permissions),
    );
    await deps.projects.forget(projectId, position);
    const { reasons } = reversibilityOfAll(action.events.map(({ type }) => type));
    const changes = describeChanges(await foldWrites(deps.store, writes), permissions);
    const body = { action_id: request.id, undoes_action_id: action.id, changes, warnings: [...reasons] };
    return { position, body };
  },
});

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
  if ((undoErrors as readonly string[]).includes(code) || code === 'PREVIEW_OUTDATED') throw error;
  return reject('ACTION_NOT_REVERSIBLE', { reasons: reasonsOf(error) });
}
