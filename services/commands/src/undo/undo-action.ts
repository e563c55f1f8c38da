import { type AuditedStream, auditedStream } from '@gatebook/domain/audit/audited-streams';
import { reject } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import { projectDecider } from '@gatebook/domain/project/decide';
import { ConcurrencyError } from '@gatebook/eventlog/port';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { dryRun, transact, type UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { streamOf } from '../streams.ts';
import { restorableApiKey, restorableProjectKey } from './key-values.ts';
import { restorableProject } from './project-values.ts';
import type { Restorable } from './restorable.ts';
import { isSameValue, restoreValue } from './restore-values.ts';
import { isReversible, rejectIrreversible, reversibilityOfAll } from './reversibility.ts';
import { restorableMembership, restorableTeam } from './team-values.ts';
import { restorableUser } from './user-values.ts';
import { restorableWebhook } from './webhook-values.ts';

const restorables = {
  user: restorableUser,
  team: restorableTeam,
  membership: restorableMembership,
  project: restorableProject,
  apikey: restorableApiKey,
  projectkey: restorableProjectKey,
  webhook: restorableWebhook,
} as unknown as Readonly<Record<string, Restorable<unknown, unknown>>>;

/** A field of an object that changed again since the action. */
export type UndoConflict = {
  stream: string;
  path: readonly string[];
  restored: unknown;
  current: unknown;
  changedByEventId: string | null;
};

/** The events of one request in the project `ctx.projectId`, oldest first. One with more events can't be undone. */
export type Action = { id: string; events: readonly Recorded[]; hasMoreEvents: boolean };
type Undo = { action: Action; project: ProjectFacts };

/**
 * Takes back what an action changed, field by field: all or nothing. The undo is an action itself, caused by the first
 * event that it takes back.
 * @throws DomainError ACTION_NOT_REVERSIBLE, ACTION_ALREADY_UNDONE, UNDO_CONFLICT with `UndoConflict`s, and as the
 * commands reject that restore the values
 */
export async function undoAction(deps: WriteDeps, ctx: Context, { action, project }: Undo): Promise<CommandResult> {
  const cause = requireReversible(action);
  const undoCtx = { ...ctx, cause: { eventId: cause.id, correlationId: ctx.requestId } };
  const at = deps.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { position } = await transact(deps, undoCtx, (work) => decideUndo(work, { action, project, at }));
      return { position };
    } catch (error) {
      if (!(error instanceof ChangedMeanwhileError) || attempt === maxAttempts) throw error;
    }
  }
}

/** Rejects what `undoAction` would reject now. */
export async function checkUndo(deps: WriteDeps, ctx: Context, { action, project }: Undo): Promise<void> {
  requireReversible(action);
  const at = deps.now();
  await dryRun(deps, ctx, (work) => decideUndo(work, { action, project, at }));
}

const maxAttempts = 8;

/** An object changed between the reads of one decision. */
class ChangedMeanwhileError extends ConcurrencyError {}

/** @returns the first event that can be undone */
function requireReversible({ events, hasMoreEvents }: Action): Recorded {
  if (hasMoreEvents) return rejectIrreversible(['The action has too many events.']);
  const { isReversible: isPossible, reasons } = reversibilityOfAll(events.map(({ type }) => type));
  const first = events.find(({ type }) => isReversible(type));
  return isPossible && first ? first : rejectIrreversible(reasons);
}

async function decideUndo(work: UnitOfWork, { action, project, at }: Undo & { at: string }): Promise<void> {
  const { events } = action;
  await requireOpenProject(work, events);
  const streams = [...new Set(events.filter(({ type }) => isReversible(type)).map(({ stream }) => stream))];
  const histories = await Promise.all(streams.map((stream) => readHistory(work, stream, events)));
  rejectIfUndone(action, histories);
  const restored = histories.map((history) => ({ ...history, ...restoreValue(history.values) }));
  const conflicts = restored.flatMap((history) =>
    history.conflicts.map((conflict) => ({
      stream: history.stream,
      ...conflict,
      changedByEventId: changedBy(history, conflict.path),
    })),
  );
  if (conflicts.length > 0) reject('UNDO_CONFLICT', { conflicts });
  for (const { id, restorable, values, value } of restored) {
    await restorable.restore(work, id, { from: values.current, to: value }, { project, at });
  }
  await requireUnchanged(work, histories);
}

/** In a deleted project, only the deletion is undone. @throws DomainError ACTION_NOT_REVERSIBLE */
async function requireOpenProject(
  { load, ctx: { projectId } }: UnitOfWork,
  events: readonly Recorded[],
): Promise<void> {
  if (events.some(({ type }) => type === 'ProjectDeletionScheduled')) return;
  const { state } = await load(projectDecider, streamOf.project(projectId));
  if (state.status !== 'awaiting_deletion') return;
  rejectIrreversible(['The project is deleted. Restore it first.']);
}

type History = {
  stream: string;
  id: string;
  restorable: Restorable<unknown, unknown>;
  audited: AuditedStream;
  events: readonly Recorded[];
  revision: bigint;
  /** The last event of the action. */
  last: bigint;
  values: { before: unknown; after: unknown; current: unknown };
};

/** @throws DomainError ACTION_NOT_REVERSIBLE if the object is gone */
async function readHistory(work: UnitOfWork, stream: string, action: readonly Recorded[]): Promise<History> {
  const [category = ''] = stream.split('-', 1);
  const [audited, restorable] = [auditedStream(stream), restorables[category]];
  if (!audited || !restorable) throw new Error(`nothing of ${stream} can be restored`);
  const ours = action.filter((event) => event.stream === stream).map(({ revision }) => revision);
  const [first = 0n, last = 0n] = [ours[0], ours.at(-1)];
  const { events, revision } = await work.deps.store.readStream(stream);
  const valuesUpTo = (upTo: bigint) =>
    restorable.valuesOf(events.filter((event) => event.revision <= upTo).reduce(audited.evolve, audited.initialState));
  const values = { before: valuesUpTo(first - 1n), after: valuesUpTo(last), current: valuesUpTo(revision) };
  if (values.before === null || values.current === null) {
    return rejectIrreversible(['What the action changed no longer exists.']);
  }
  return { stream, id: stream.slice(category.length + 1), restorable, audited, events, revision, last, values };
}

/** An undo that the log kept only a part of can be completed (docs/decisions/0014). */
function rejectIfUndone({ events }: Action, histories: readonly History[]): void {
  const ids = new Set(events.map(({ id }) => id));
  const undoIn = (history: History) =>
    history.events.findLast((event) => isUndo(event) && ids.has(event.metadata.causationId ?? ''));
  const undos = histories.flatMap((history) => undoIn(history) ?? []);
  const [undo] = undos.toSorted((one, other) => Number(other.position - one.position));
  const isComplete = histories.every((history) => undoIn(history) || !needsChange(history));
  if (undo && isComplete) reject('ACTION_ALREADY_UNDONE', { by_action_id: undo.metadata.requestId });
}

const needsChange = ({ values }: History) => !isSameValue(restoreValue(values).value, values.current);

/**
 * Whether an event belongs to an undo of another action. Reactions are caused by events too, but have the correlation
 * ID of their cause.
 */
export const isUndo = ({ metadata: { causationId, correlationId, requestId } }: Recorded): boolean =>
  causationId !== null && correlationId === requestId;

/** ID of the last event that changed the value at `path`. */
function changedBy({ events, last, restorable, audited }: History, path: readonly string[]): string | null {
  const valueAt = (state: unknown) => path.reduce(childOf, restorable.valuesOf(state));
  let changedById: string | null = null;
  let state = audited.initialState;
  for (const event of events) {
    const next = audited.evolve(state, event);
    if (event.revision > last && JSON.stringify(valueAt(state)) !== JSON.stringify(valueAt(next))) {
      changedById = event.id;
    }
    state = next;
  }
  return changedById;
}

const childOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

/** The values were read before the commands loaded the same streams. */
async function requireUnchanged(work: UnitOfWork, histories: readonly History[]): Promise<void> {
  const current = await work.deps.store.revisionsOf(histories.map(({ stream }) => stream));
  const changed = histories.find(({ stream, revision }) => current.get(stream) !== revision);
  if (changed) throw new ChangedMeanwhileError(changed.stream);
}
