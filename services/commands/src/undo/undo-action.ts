import { type AuditedStream, auditedStream } from '@gatebook/domain/audit/audited-streams';
import { reject } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import { projectDecider } from '@gatebook/domain/project/decide';
import { ConcurrencyError, type StateFold } from '@gatebook/eventlog/port';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { dryRun, transact, type UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { streamOf } from '../streams.ts';
import { restorableApiKey, restorableProjectKey } from './key-values.ts';
import { restorableProject } from './project-values.ts';
import type { Restorable } from './restorable.ts';
import { isSameValue, restoreValue, type ValueConflict } from './restore-values.ts';
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
  rejectIfUndone(histories);
  const restored = histories.map((history) => ({ ...history, ...restoreValue(history.values) }));
  if (restored.some(({ conflicts }) => conflicts.length > 0)) {
    const conflicts = await Promise.all(restored.map((history) => explainConflicts(work, history, history.conflicts)));
    reject('UNDO_CONFLICT', { conflicts: conflicts.flat() });
  }
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
  revision: bigint;
  /** The last event of the action, and the state after it. */
  last: bigint;
  stateAfter: unknown;
  values: { before: unknown; after: unknown; current: unknown };
  /** The newest event that undoes an event of the action. */
  undo: Taken | null;
};

/** What is collected from a stream: the states around the action, and what took it back. */
type Folded = { before: unknown; after: unknown; current: unknown; undo: Taken | null };
type Taken = { position: bigint; requestId: string };

/** @throws DomainError ACTION_NOT_REVERSIBLE if the object is gone */
async function readHistory(work: UnitOfWork, stream: string, action: readonly Recorded[]): Promise<History> {
  const [category = ''] = stream.split('-', 1);
  const [audited, restorable] = [auditedStream(stream), restorables[category]];
  if (!audited || !restorable) throw new Error(`nothing of ${stream} can be restored`);
  const ours = action.filter((event) => event.stream === stream).map(({ revision }) => revision);
  const [first = 0n, last = 0n] = [ours[0], ours.at(-1)];
  const ids = new Set(action.map(({ id }) => id));
  const { initialState } = audited;
  const fold: StateFold<Folded, Recorded> = {
    initialState: { before: initialState, after: initialState, current: initialState, undo: null },
    evolve: ({ before, after, current, undo }, event) => {
      const next = audited.evolve(current, event);
      const isTakingBack = isUndo(event) && ids.has(event.metadata.causationId ?? '');
      return {
        before: event.revision < first ? next : before,
        after: event.revision <= last ? next : after,
        current: next,
        undo: isTakingBack ? { position: event.position, requestId: event.metadata.requestId } : undo,
      };
    },
  };
  // Only what these states contain is loaded, and they are not remembered.
  const { state, revision } = await work.deps.store.foldStream(stream, fold, { isIgnored: () => false });
  const { before, after, current, undo } = state;
  const { valuesOf } = restorable;
  const values = { before: valuesOf(before), after: valuesOf(after), current: valuesOf(current) };
  if (values.before === null || values.current === null) {
    return rejectIrreversible(['What the action changed no longer exists.']);
  }
  const id = stream.slice(category.length + 1);
  return { stream, id, restorable, audited, revision, last, stateAfter: after, values, undo };
}

/** An undo that the log kept only a part of can be completed (docs/decisions/0014). */
function rejectIfUndone(histories: readonly History[]): void {
  const undos = histories.flatMap(({ undo }) => undo ?? []);
  const [undo] = undos.toSorted((one, other) => Number(other.position - one.position));
  const isComplete = histories.every((history) => history.undo || !needsChange(history));
  if (undo && isComplete) reject('ACTION_ALREADY_UNDONE', { by_action_id: undo.requestId });
}

const needsChange = ({ values }: History) => !isSameValue(restoreValue(values).value, values.current);

/**
 * Whether an event belongs to an undo of another action. Reactions are caused by events too, but have the correlation
 * ID of their cause.
 */
export const isUndo = ({ metadata: { causationId, correlationId, requestId } }: Recorded): boolean =>
  causationId !== null && correlationId === requestId;

/** The conflicts, each with the last event after the action that changed the value. */
async function explainConflicts(
  { deps }: UnitOfWork,
  { stream, revision, last, stateAfter, restorable, audited }: History,
  conflicts: readonly ValueConflict[],
): Promise<readonly UndoConflict[]> {
  const changedBy = new Map<ValueConflict, string>();
  const valuesIn = (state: unknown) => {
    const values = restorable.valuesOf(state);
    return conflicts.map(({ path }) => JSON.stringify(path.reduce(childOf, values)));
  };
  let state = stateAfter;
  let values = valuesIn(state);
  const pages = conflicts.length > 0 ? deps.store.readStreamPages(stream, {}, last) : [];
  for await (const page of pages) {
    for (const event of page.filter((event) => event.revision <= revision)) {
      state = audited.evolve(state, event);
      const next = valuesIn(state);
      for (const [nth, conflict] of conflicts.entries()) {
        if (next[nth] !== values[nth]) changedBy.set(conflict, event.id);
      }
      values = next;
    }
  }
  return conflicts.map((conflict) => ({ stream, ...conflict, changedByEventId: changedBy.get(conflict) ?? null }));
}

const childOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

/** The values were read before the commands loaded the same streams. */
async function requireUnchanged(work: UnitOfWork, histories: readonly History[]): Promise<void> {
  const current = await work.deps.store.revisionsOf(histories.map(({ stream }) => stream));
  const changed = histories.find(({ stream, revision }) => current.get(stream) !== revision);
  if (changed) throw new ChangedMeanwhileError(changed.stream);
}
