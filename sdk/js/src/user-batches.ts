import type {
  UserBatchFailureListView,
  UserBatchListView,
  UserBatchPreviewView,
  UserBatchView,
} from '@gatebook/contract/user-batches';
import { type ListPage, type PageQuery, toListPage, toPageParams } from './list-pages.ts';
import type { Send } from './transport.ts';
import { toFilters, type UserFilters } from './user-filters.ts';

/** What a batch does to each of its users. */
export type UserBatchAction =
  /** Shown to the users when they sign in. Without a reason, users who are restricted keep theirs. */
  | { type: 'restrict'; reason?: string | null }
  | { type: 'lift_restriction' }
  | { type: 'sign_out' }
  | { type: 'add_to_team'; teamId: string }
  | { type: 'grant_permission'; permissionId: string }
  | { type: 'delete' };
/** Users by their IDs, at most 10,000, or all who match filters when the batch starts, but those in `except`. */
export type UserBatchSelection =
  | { userIds: readonly string[] }
  | { filters: UserFilters; except?: readonly string[] | undefined };

/** `rejections` to `isReversible` are about the first `previewed` users. */
export type UserBatchPreview = {
  /** Users whom the batch would change. */
  count: number;
  previewed: number;
  changed: number;
  /** They already are as the action wants. */
  unchanged: number;
  rejections: readonly { code: string | null; error: string; count: number }[];
  effects: readonly { kind: string; count: number }[];
  /** Whether the changes can be undone. */
  isReversible: boolean;
};

export type UserBatch = {
  id: string;
  /** `undo`: reverses the changes of the batch `undoesBatchId`. */
  type: UserBatchAction['type'] | 'undo';
  teamId: string | null;
  permissionId: string | null;
  undoesBatchId: string | null;
  startedBy: { kind: string; id: string | null };
  /** `forbidden`: the member or the key that started it may no longer do what it does. */
  status: 'running' | 'completed' | 'canceled' | 'forbidden';
  total: number;
  /** Includes those that failed. */
  done: number;
  failed: number;
  createdAt: Date;
  endedAt: Date | null;
};
export type UserBatchFailure = { userId: string; code: string | null; error: string };

export type UserBatchesClient = {
  /** How many users a batch would change, and what it would do to the first ten. */
  preview(action: UserBatchAction, selection: UserBatchSelection): Promise<UserBatchPreview>;
  /**
   * The server goes on after this call. `expectedCount`: of the preview.
   * @throws KnownError USER_BATCH_OUTDATED if another number of users match now, USER_BATCH_RUNNING,
   * USER_BATCH_TOO_LARGE
   */
  start(
    action: UserBatchAction,
    selection: UserBatchSelection,
    options?: { expectedCount?: number | undefined },
  ): Promise<UserBatch>;
  /** The newest 50, until 30 days after their end. */
  list(): Promise<readonly UserBatch[]>;
  /** @throws KnownError USER_BATCH_NOT_FOUND */
  find(batchId: string): Promise<UserBatch>;
  /** In the order of the batch. @throws KnownError USER_BATCH_NOT_FOUND */
  listFailures(batchId: string, page?: PageQuery): Promise<ListPage<UserBatchFailure>>;
  /** Users who were changed stay changed. @throws KnownError USER_BATCH_NOT_FOUND */
  cancel(batchId: string): Promise<UserBatch>;
  /**
   * How many users a batch may have changed, and what its undo would do to the first 100. Rejections are those of users
   * who have changed since, or whose change can't be undone.
   * @throws KnownError USER_BATCH_NOT_FOUND, USER_BATCH_RUNNING
   */
  previewUndo(batchId: string): Promise<UserBatchPreview>;
  /**
   * Starts a batch that undoes what another one changed of each user. It can be undone itself.
   * @throws KnownError USER_BATCH_NOT_FOUND, USER_BATCH_RUNNING
   */
  undo(batchId: string): Promise<UserBatch>;
};

const batches = '/internal/user-batches';
const batchPath = (id: string, rest = '') => `${batches}/${encodeURIComponent(id)}${rest}`;

export const userBatchesClient = (send: Send): UserBatchesClient => ({
  preview: async (action, selection) => {
    const body = toBody(action, selection);
    return toPreview(await send<UserBatchPreviewView>('POST', `${batches}/preview`, body));
  },
  start: async (action, selection, { expectedCount } = {}) => {
    const body = { ...toBody(action, selection), expected_count: expectedCount };
    return toBatch(await send<UserBatchView>('POST', batches, body));
  },
  list: async () => (await send<UserBatchListView>('GET', batches)).items.map(toBatch),
  find: async (id) => toBatch(await send<UserBatchView>('GET', batchPath(id))),
  listFailures: async (id, page = {}) => {
    const path = batchPath(id, `/failures?${new URLSearchParams(toPageParams(page))}`);
    return toListPage(await send<UserBatchFailureListView>('GET', path), ({ user_id: userId, code, error }) => {
      return { userId, code, error };
    });
  },
  cancel: async (id) => toBatch(await send<UserBatchView>('POST', batchPath(id, '/cancel'), {})),
  previewUndo: async (id) => toPreview(await send<UserBatchPreviewView>('POST', batchPath(id, '/undo/preview'), {})),
  undo: async (id) => toBatch(await send<UserBatchView>('POST', batchPath(id, '/undo'), {})),
});

function toBody(action: UserBatchAction, selection: UserBatchSelection) {
  return {
    action: action.type,
    reason: action.type === 'restrict' ? action.reason || undefined : undefined,
    team_id: action.type === 'add_to_team' ? action.teamId : undefined,
    permission_id: action.type === 'grant_permission' ? action.permissionId : undefined,
    ...('userIds' in selection
      ? { user_ids: selection.userIds }
      : { filters: Object.fromEntries(toFilters(selection.filters)), except_user_ids: selection.except }),
  };
}

const toPreview = ({ is_reversible: isReversible, ...view }: UserBatchPreviewView): UserBatchPreview => {
  return { ...view, isReversible };
};

const toBatch = (view: UserBatchView): UserBatch => ({
  id: view.id,
  type: view.action,
  teamId: view.team_id,
  permissionId: view.permission_id,
  undoesBatchId: view.undoes_batch_id,
  startedBy: view.started_by,
  status: view.status,
  total: view.total,
  done: view.done,
  failed: view.failed,
  createdAt: new Date(view.created_at_millis),
  endedAt: view.ended_at_millis === null ? null : new Date(view.ended_at_millis),
});
