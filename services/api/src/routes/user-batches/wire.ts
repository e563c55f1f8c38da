import { rejections } from '@gatebook/contract/plain-errors';
import type { UserBatchFailureListView, UserBatchView } from '@gatebook/contract/user-batches';
import { DomainError, type DomainErrorCode } from '@gatebook/domain/errors';
import type { UserBatchFailure, UserBatchRow } from '@gatebook/readmodel/user-batches/user-batches';
import { errorText } from '../../http/error-texts.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { toUndoError } from '../actions/undo-state.ts';

export const tags = ['Users'];

export const toBatchView = (batch: UserBatchRow): UserBatchView => ({
  id: batch.id,
  action: batch.action,
  team_id: batch.teamId,
  permission_id: batch.permissionId,
  undoes_batch_id: batch.undoesBatchId,
  started_by: { kind: batch.actorKind, id: batch.actorId },
  status: batch.outcome ?? 'running',
  total: batch.total,
  done: batch.done,
  failed: batch.failed,
  created_at_millis: batch.createdAt,
  ended_at_millis: batch.endedAt,
});

/** An undo has the errors of the undo of one action, besides that of the role. */
export function toFailureView(
  language: TextLanguage,
  { action }: Pick<UserBatchRow, 'action'>,
  { userId, ...failure }: UserBatchFailure,
): UserBatchFailureListView['items'][number] {
  const stored = new DomainError(failure.error as DomainErrorCode, failure.details);
  const isOfUndo = action === 'undo' && stored.code !== 'PROJECT_ROLE_REQUIRED';
  const { code, details } = isOfUndo ? toUndoError(stored) : stored;
  const isKnown = 'details' in rejections[code];
  return { user_id: userId, code: isKnown ? code : null, error: errorText(language, code, details) };
}
