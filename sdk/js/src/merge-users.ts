import type { PreviewView } from '@gatebook/contract/previews';
import type { UserMergeView } from '@gatebook/contract/user-merges';
import { fromWire } from './app/fields.ts';
import type { Send } from './transport.ts';

/**
 * Something of a duplicate, such as `email` or `team`. `name` says which one where there can be several; what is in a
 * team names the team.
 */
export type MergeItem = { kind: string; name: string | null; teamId: string | null; teamName: string | null };
/** `reason`: `kept_one_stays`, `already_there`, `not_usable` or `ends`. */
export type DroppedItem = MergeItem & { reason: string };
export type UserMerge = { moved: readonly MergeItem[]; dropped: readonly DroppedItem[] };
export type MergeEffect = { kind: string; permissionId: string | null; text: string };
export type UserMergePreview = { merge: UserMerge; effects: readonly MergeEffect[]; etag: string };

export type MergeClient = {
  /** What a merge would do now. Changes nothing. Rejects as the merge would. */
  previewMerge(userId: string, duplicateId: string): Promise<UserMergePreview>;
  /**
   * Gives a user everything that only the duplicate has, and erases the duplicate at once. It can't be undone.
   * `etag`: of the preview.
   * @throws KnownError USER_NOT_FOUND; PREVIEW_OUTDATED if anything has changed since the preview
   */
  merge(userId: string, duplicateId: string, options?: { etag?: string }): Promise<UserMerge>;
};

const toMerge = ({ moved, dropped }: UserMergeView): UserMerge => ({
  moved: moved.map((item) => fromWire(item)),
  dropped: dropped.map((item) => fromWire(item)),
});

export function mergeClient(send: Send): MergeClient {
  const callOf = (userId: string, duplicateId: string) => ({
    method: 'POST' as const,
    path: `/internal/users/${encodeURIComponent(userId)}/merge`,
    body: { duplicate_user_id: duplicateId },
  });
  return {
    previewMerge: async (userId, duplicateId) => {
      const view = await send<PreviewView>('POST', '/internal/previews', callOf(userId, duplicateId));
      if (view.error || view.etag === null) throw new Error(view.error?.error ?? 'The preview has no result.');
      const effects = view.effects.map(({ kind, permission_id: permissionId, text }): MergeEffect => {
        return { kind, permissionId, text };
      });
      return { merge: toMerge(view.body as UserMergeView), effects, etag: view.etag };
    },
    merge: async (userId, duplicateId, { etag } = {}) => {
      const { method, path, body } = callOf(userId, duplicateId);
      return toMerge(await send<UserMergeView>(method, path, body, etag === undefined ? {} : { ifMatch: etag }));
    },
  };
}
