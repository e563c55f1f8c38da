import { errorBody, rejections } from '@gatebook/contract/plain-errors';
import type { DomainError } from '@gatebook/domain/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorFacts, OtherError } from './english-errors.ts';
import { errorLanguageOf } from './error-language.ts';
import { errorText, otherErrorText } from './error-texts.ts';
import { isAbandoned, isRejectedAccess } from './record-rejections.ts';

type Answer = (error: Error & Partial<FastifyError>, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Slightly longer than it takes to notice that the database is back. */
const logRetrySeconds = 5;

const plain = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).type('text/plain; charset=utf-8').send(text);

/** The response to an error that no rule rejects with. */
const other = (request: FastifyRequest, reply: FastifyReply, status: number, error: OtherError, facts?: ErrorFacts) =>
  plain(reply, status, otherErrorText(errorLanguageOf(request), error, facts));

/** Response for each type of error, by its name or Fastify code. */
const answers: Readonly<Record<string, Answer>> = {
  DomainError: (error, request, reply) => rejected(error as DomainError, request, reply),
  ConcurrencyError: (_error, request, reply) => other(request, reply, 409, 'ConcurrencyError'),
  OverloadedError: (error, request, reply) =>
    other(request, reply.header('retry-after', String(retryAfter(error))), 503, 'OverloadedError'),
  ReadModelNotReadyError: (_error, request, reply) =>
    other(request, reply.header('retry-after', '1'), 503, 'ReadModelNotReadyError'),
  LogUnavailableError: (error, request, reply) => {
    request.log.warn({ err: error, requestId: request.id, route: request.routeOptions.url }, 'event log unavailable');
    return other(request, reply.header('retry-after', String(logRetrySeconds)), 503, 'LogUnavailableError');
  },
  AppendTooLargeError: (_error, request, reply) => other(request, reply, 413, 'AppendTooLargeError'),
  // No retry-after: a client that retries automatically might execute the write twice.
  AppendOutcomeUnknownError: (error, request, reply) => {
    request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'append outcome unknown');
    return other(request, reply, 503, 'AppendOutcomeUnknownError');
  },
  TooManyRequestsError: (_error, request, reply) => other(request, reply, 429, 'TooManyRequestsError'),
  FST_ERR_CTP_BODY_TOO_LARGE: (_error, request, reply) => {
    const message = `The body is larger than ${request.routeOptions.bodyLimit} bytes.`;
    return known(request, reply, 'BODY_PARSING_ERROR', { message });
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (_error, request, reply) => {
    const message = 'The length of the body does not match the content-length header.';
    return known(request, reply, 'BODY_PARSING_ERROR', { message });
  },
};

const retryAfter = (error: Error) => ('retryAfterSeconds' in error ? Number(error.retryAfterSeconds) : 1);

/**
 * Responds to known errors with their code, to plain errors with a sentence, and to all others with 500 without
 * details.
 */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: Error & Partial<FastifyError>, request, reply) => {
    nameLanguage(request, reply);
    if (isAbandoned(error, request)) return answerAbandoned(error, request, reply);
    const answer = answers[error.code && error.name === 'FastifyError' ? error.code : error.name] ?? internalError;
    return answer(error, request, reply);
  });
}

/** A route may have named the language of its response before it failed. */
function nameLanguage(request: FastifyRequest, reply: FastifyReply): void {
  if (errorLanguageOf(request) === 'en') reply.removeHeader('content-language');
  else reply.headers({ 'content-language': 'de', vary: 'accept-language' });
}

/** Nobody reads this response. Opening connections must not fill the log. */
function answerAbandoned(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { id: requestId, routeOptions } = request;
  request.log.debug({ requestId, route: routeOptions.url, reason: error.message }, 'request abandoned by the client');
  return plain(reply, 400, 'The request is incomplete.');
}

function rejected({ code, details }: DomainError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const rejection = rejections[code];
  if (isRejectedAccess(code)) {
    const { projectId, accessType, user } = request.caller ?? {};
    const who = { projectId, accessType, userId: user?.id };
    request.log.info({ code, requestId: request.id, route: request.routeOptions.url, ...who }, 'access rejected');
  }
  if ('details' in rejection) return known(request, reply, code, details);
  const text = errorText(errorLanguageOf(request), code, details);
  return plain(reply.headers(rejection.headers ?? {}), rejection.status, text);
}

/** The details are the same in every language: programs read them. */
function known(
  request: FastifyRequest,
  reply: FastifyReply,
  code: DomainError['code'],
  facts: DomainError['details'],
): FastifyReply {
  const rejection = rejections[code];
  if (!('details' in rejection)) throw new Error(`${code} is not in the catalog`);
  const body = { ...errorBody(code, rejection, facts), error: errorText(errorLanguageOf(request), code, facts) };
  return reply
    .code(rejection.status)
    .header('x-stack-known-error', code)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body, null, 2));
}

/** The only place that logs a failure: with its stack and the request ID, which the response contains. */
function internalError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'request failed');
  return other(request, reply, 500, 'internal', { requestId: request.id });
}
