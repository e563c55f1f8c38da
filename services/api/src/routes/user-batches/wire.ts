import { rejections } from '@gatebook/contract/plain-errors';
import type { UserBatchFailureListView, UserBatchView } from '@gatebook/contract/user-batches';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import type { UserBatchFailure, UserBatchRow } from '@gatebook/readmodel/user-batches/user-batches';
import { errorText } from '../../http/error-texts.ts';
import type { TextLanguage } from '../../http/text-language.ts';

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

export function toFailureView(
  language: TextLanguage,
  { userId, error, details }: UserBatchFailure,
): UserBatchFailureListView['items'][number] {
  const code = error as DomainErrorCode;
  const isKnown = 'details' in rejections[code];
  return { user_id: userId, code: isKnown ? code : null, error: errorText(language, code, details) };
}
