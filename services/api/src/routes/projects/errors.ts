import type { DomainErrorCode } from '@gatebook/domain/errors';

export const projectFieldErrors: readonly DomainErrorCode[] = [
  'INVALID_SHARED_OAUTH_PROVIDER_ID',
  'DEFAULT_PERMISSION_UNKNOWN',
  'QUOTA_EXCEEDED',
];
