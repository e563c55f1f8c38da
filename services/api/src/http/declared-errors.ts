import { plainErrors, plainText, rejections } from '@gatebook/contract/plain-errors';
import type { DomainErrorCode, PlainErrorCode } from '@gatebook/domain/errors';
import { asOfErrors } from './as-of.ts';
import type { RouteRules } from './define-route.ts';

/** Errors of every call that is not open to anyone: (protocol, conventions §3.2), and Idempotency-Key. */
export const commonErrors: readonly DomainErrorCode[] = [
  'SCHEMA_ERROR',
  'BODY_PARSING_ERROR',
  'CROSS_SITE_REQUEST_NOT_ALLOWED',
  'PROJECT_KEY_WITHOUT_ACCESS_TYPE',
  'INVALID_ACCESS_TYPE',
  'ACCESS_TYPE_WITHOUT_PROJECT_ID',
  'ACCESS_TYPE_REQUIRED',
  'INSUFFICIENT_ACCESS_TYPE',
  'PROJECT_NOT_FOUND',
  'BRANCH_DOES_NOT_EXIST',
  'INVALID_PUBLISHABLE_CLIENT_KEY',
  'INVALID_SECRET_SERVER_KEY',
  'INVALID_SUPER_SECRET_ADMIN_KEY',
  'CLIENT_AUTHENTICATION_REQUIRED',
  'SERVER_AUTHENTICATION_REQUIRED',
  'ADMIN_AUTHENTICATION_REQUIRED',
  'UNPARSABLE_ACCESS_TOKEN',
  'ACCESS_TOKEN_EXPIRED',
  'INVALID_PROJECT_FOR_ACCESS_TOKEN',
  'UNPARSABLE_ADMIN_ACCESS_TOKEN',
  'ADMIN_ACCESS_TOKEN_EXPIRED',
  'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN',
  'TOKEN_OWNER_NOT_FOUND',
  'IMPERSONATION_NOT_ALLOWED',
  'PROJECT_ROLE_REQUIRED',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_KEY_REUSED',
  'REQUEST_STILL_RUNNING',
  'RESPONSE_LOST',
  'PREVIEW_NOT_SUPPORTED',
];

/** An error as callers see it: its code, or its sentence if it has no code. */
const errorWords = (code: DomainErrorCode): string =>
  code in plainErrors ? plainText(plainErrors[code as PlainErrorCode], placeholders) : `\`${code}\``;

/** Stand for the facts in a sentence. */
const placeholders = { quota: null, limit: '{limit}' };

type Declared = Pick<RouteRules, 'errors' | 'session' | 'isPreviewable' | 'asOf'>;

/** Errors that a route declares, those of its session rule and of reading the past, and that of its precondition. */
export function errorsOf({
  errors = [],
  session = 'any',
  isPreviewable = false,
  asOf,
}: Declared): readonly DomainErrorCode[] {
  const rules = typeof session === 'string' ? [session] : Object.values(session);
  return [
    ...errors,
    ...(asOf ? asOfErrors : []),
    ...(rules.some((rule) => rule !== 'any') ? (['IMPERSONATION_NOT_ALLOWED'] as const) : []),
    ...(isPreviewable ? (['PREVIEW_OUTDATED'] as const) : []),
    ...(rules.includes('recent') ? (['REAUTHENTICATION_REQUIRED'] as const) : []),
  ];
}

/** Words for the errors of a route by status, lowest status first. */
export function errorsByStatus(route: Declared): ReadonlyMap<number, readonly string[]> {
  const byStatus = new Map<number, string[]>();
  for (const code of errorsOf(route)) {
    const { status } = rejections[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), errorWords(code)]);
  }
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}
