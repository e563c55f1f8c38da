import { errorText as commonErrorText } from '@gatebook/js/error-text';
import { isKnownError } from '@gatebook/js/errors';

/** One or two sentences for owners; forms say more about the codes that they expect. */
export function errorText(error: unknown): string {
  if (isKnownError(error, 'INVALID_ADMIN_ACCESS_TOKEN', 'PROJECT_NOT_FOUND')) {
    return 'This project does not exist, or you are not one of its owners.';
  }
  return commonErrorText(error);
}
