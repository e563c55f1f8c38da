import { errorText as commonErrorText } from '@gatebook/js/core';
import { isKnownError } from '@gatebook/js/errors';
import { t } from '@lingui/core/macro';
import { translateLibrary } from './library-texts.ts';

/** An error message for owners. Forms handle the error codes they expect themselves. */
export function errorText(error: unknown): string {
  if (isKnownError(error, 'INVALID_ADMIN_ACCESS_TOKEN', 'PROJECT_NOT_FOUND')) {
    return t`This project does not exist, or you are not a member.`;
  }
  if (isKnownError(error, 'UNDO_CONFLICT')) {
    return t`Cannot be undone, because a later action changed the same values.`;
  }
  if (isKnownError(error, 'PREVIEW_OUTDATED')) {
    return t`Something has changed since the preview, so nothing was saved. Check the new preview, then confirm again.`;
  }
  if (isKnownError(error, 'ACTION_ALREADY_UNDONE')) return t`This action has been undone.`;
  return commonErrorText(error, translateLibrary);
}
