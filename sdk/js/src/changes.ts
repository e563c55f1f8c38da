import type {
  ActionView,
  PreviewView,
  TargetChange as TargetChangeView,
  UndoneView,
} from '@gatebook/contract/previews';
import { fromWire } from './app/fields.ts';
import { type FieldChange, toFieldChange } from './audit.ts';
import type { Json } from './json.ts';
import type { Send } from './transport.ts';

/** `id` is null while the object does not exist yet. */
export type ChangeTarget = { type: string; id: string | null };
export type TargetChange = FieldChange & { target: ChangeTarget };

/** A call of the API that writes. `path` is below `/api/v1`. */
export type PreviewedCall = { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: unknown };

/** What a write does besides its changes. `people`: the first 100 of `count` who gain or lose a permission. */
export type PreviewEffect = {
  kind: string;
  count: number;
  text: string;
  permissionId: string | null;
  /** `userId`: null for a user whom the write creates. */
  people: readonly { userId: string | null; teamId: string | null; displayName: string | null }[] | null;
  hasMorePeople: boolean;
};

export type PreviewedEvent = { type: string; text: string; isTechnical: boolean; targets: readonly ChangeTarget[] };

/** What a write would do now. If it would be rejected, `error` says why, and `etag` is null. */
export type Preview = {
  status: number;
  error: { code: string | null; error: string } | null;
  changes: readonly TargetChange[];
  events: readonly PreviewedEvent[];
  effects: readonly PreviewEffect[];
  isReversible: boolean;
  irreversibleReasons: readonly string[];
  etag: string | null;
  /** What has happened since an earlier preview, the newest 20 events, oldest first. null if that is not known. */
  changedSince: readonly PreviewedEvent[] | null;
};

export type UndoConflict = {
  target: ChangeTarget;
  field: string;
  restoredValue: Json;
  currentValue: Json;
  changedByEventId: string | null;
};

/** Everything that one request changed. `id` is the ID of the request. */
export type Action = {
  id: string;
  actor: { kind: string; id: string | null; displayName: string | null };
  at: Date;
  events: readonly {
    id: string;
    type: string;
    text: string;
    isTechnical: boolean;
    isReversible: boolean;
    targets: readonly ChangeTarget[];
    at: Date;
  }[];
  changes: readonly TargetChange[];
  undo: {
    /** `possible`, `partial`, `conflict`, `not_reversible` or `undone`. */
    state: string;
    reasons: readonly string[];
    conflicts: readonly UndoConflict[];
    undoneByActionId: string | null;
  };
  undoesActionId: string | null;
};

/** `actionId` undid another action, and can be undone too. `warnings`: what does not come back. */
export type Undone = {
  actionId: string;
  undoesActionId: string;
  changes: readonly TargetChange[];
  warnings: readonly string[];
};

export type ChangesClient = {
  /** Changes nothing. `since`: the `etag` of an earlier preview of the call. */
  preview(call: PreviewedCall, since?: string): Promise<Preview>;
  /**
   * Makes a call that was previewed. `etag`: of the preview.
   * @throws KnownError PREVIEW_OUTDATED if anything has changed since that the preview stands on
   */
  writePreviewed(call: PreviewedCall, etag: string): Promise<unknown>;
  /** Makes a call, whatever has changed since its preview. */
  write(call: PreviewedCall): Promise<unknown>;
  findAction(actionId: string): Promise<Action>;
  /** @throws KnownError ACTION_NOT_REVERSIBLE, ACTION_ALREADY_UNDONE or UNDO_CONFLICT */
  undo(actionId: string): Promise<Undone>;
};

export const changesClient = (send: Send): ChangesClient => ({
  preview: async (call, since) => {
    const {
      body: _,
      changes,
      error,
      ...view
    } = await send<PreviewView>('POST', '/internal/previews', {
      ...call,
      ...(since !== undefined && { since }),
    });
    return {
      ...fromWire(view),
      changes: changes.map(toTargetChange),
      error: error && { code: error.code, error: error.error },
    };
  },
  writePreviewed: ({ method, path, body }, ifMatch) => send(method, path, body, { ifMatch }),
  write: ({ method, path, body }) => send(method, path, body),
  findAction: async (actionId) => {
    const { at_millis: at, events, changes, undo, ...view } = await send<ActionView>('GET', actionPath(actionId));
    const { conflicts, ...undoView } = undo;
    return {
      ...fromWire(view),
      at: new Date(at),
      events: events.map(({ at_millis: eventAt, ...event }) => ({ ...fromWire(event), at: new Date(eventAt) })),
      changes: changes.map(toTargetChange),
      undo: { ...fromWire(undoView), conflicts: conflicts.map(toConflict) },
    };
  },
  undo: async (actionId) => {
    const { changes, ...view } = await send<UndoneView>('POST', `${actionPath(actionId)}/undo`, {});
    return { ...fromWire(view), changes: changes.map(toTargetChange) };
  },
});

const actionPath = (actionId: string) => `/internal/actions/${encodeURIComponent(actionId)}`;

const toTargetChange = ({ target, ...change }: TargetChangeView): TargetChange => ({
  ...toFieldChange(change),
  target,
});

const toConflict = (view: ActionView['undo']['conflicts'][number]): UndoConflict => ({
  target: view.target,
  field: view.field,
  restoredValue: view.restored_value as Json,
  currentValue: view.current_value as Json,
  changedByEventId: view.changed_by_event_id,
});
