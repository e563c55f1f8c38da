import { rejections } from '@gatebook/contract/plain-errors';
import { DomainError } from '@gatebook/domain/errors';
import type { FastifyError } from 'fastify';

/** For records. */
export type CodeAndStatus = { code: string; status: number };

/** By name or Fastify code, as in `error-handler.ts`. The protocol has no codes for them. */
const others: Readonly<Record<string, CodeAndStatus>> = {
  ConcurrencyError: { code: 'CONFLICT', status: 409 },
  OverloadedError: { code: 'OVERLOADED', status: 503 },
  ReadModelNotReadyError: { code: 'READ_MODELS_NOT_READY', status: 503 },
  LogUnavailableError: { code: 'LOG_UNAVAILABLE', status: 503 },
  AppendTooLargeError: { code: 'APPEND_TOO_LARGE', status: 413 },
  AppendOutcomeUnknownError: { code: 'APPEND_OUTCOME_UNKNOWN', status: 503 },
  TooManyRequestsError: { code: 'RATE_LIMITED', status: 429 },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'BODY_PARSING_ERROR', status: 400 },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'BODY_PARSING_ERROR', status: 400 },
};

export function codeAndStatusOf(error: Error & Partial<FastifyError>): CodeAndStatus {
  if (error instanceof DomainError) return { code: error.code, status: rejections[error.code].status };
  const name = error.code && error.name === 'FastifyError' ? error.code : error.name;
  return others[name] ?? { code: 'INTERNAL_ERROR', status: 500 };
}

/** Status of a recorded code. */
export function statusOf(code: string): number {
  if (Object.hasOwn(rejections, code)) return rejections[code as DomainError['code']].status;
  return Object.values(others).find((other) => other.code === code)?.status ?? 500;
}
