import { errorBody, plainText, rejections } from '@gatebook/contract/plain-errors';
import type { DomainError } from '@gatebook/domain/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isAbandoned, isRejectedAccess } from './record-rejections.ts';

type Answer = (error: Error & Partial<FastifyError>, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Slightly longer than it takes to notice that the database is back. */
const logRetrySeconds = 5;

const plain = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).type('text/plain; charset=utf-8').send(text);

/** Response for each type of error, by its name or Fastify code. */
const answers: Readonly<Record<string, Answer>> = {
  DomainError: (error, request, reply) => rejected(error as DomainError, request, reply),
  ConcurrencyError: (_error, _request, reply) =>
    plain(reply, 409, 'A concurrent request changed the same thing. It is safe to retry.'),
  OverloadedError: (error, _request, reply) =>
    plain(reply.header('retry-after', String(retryAfter(error))), 503, 'The server is overloaded. Retry in a moment.'),
  ReadModelNotReadyError: (_error, _request, reply) =>
    plain(reply.header('retry-after', '1'), 503, 'Gatebook is starting. Retry in a moment.'),
  LogUnavailableError: (error, request, reply) => {
    request.log.warn({ err: error, requestId: request.id, route: request.routeOptions.url }, 'event log unavailable');
    const text = 'Writes are unavailable because the event log can’t be reached. Retry in a moment.';
    return plain(reply.header('retry-after', String(logRetrySeconds)), 503, text);
  },
  AppendTooLargeError: (_error, _request, reply) =>
    plain(reply, 413, 'The request contains more data than the event log accepts at once.'),
  // No retry-after: a client that retries automatically might execute the write twice.
  AppendOutcomeUnknownError: (error, request, reply) => {
    request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'append outcome unknown');
    const text = 'The event log became unavailable during this write. Check whether it was executed before you retry.';
    return plain(reply, 503, text);
  },
  TooManyRequestsError: (error, _request, reply) => plain(reply, 429, error.message),
  FST_ERR_CTP_BODY_TOO_LARGE: (_error, { routeOptions: { bodyLimit } }, reply) =>
    known(reply, 'BODY_PARSING_ERROR', { message: `The body is larger than ${bodyLimit} bytes.` }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (_error, _request, reply) =>
    known(reply, 'BODY_PARSING_ERROR', { message: 'The length of the body does not match the content-length header.' }),
};

const retryAfter = (error: Error) => ('retryAfterSeconds' in error ? Number(error.retryAfterSeconds) : 1);

/**
 * Responds to known errors with their code, to plain errors with a sentence, and to all others with 500 without
 * details.
 */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: Error & Partial<FastifyError>, request, reply) => {
    reply.removeHeader('content-language');
    if (isAbandoned(error, request)) return answerAbandoned(error, request, reply);
    const answer = answers[error.code && error.name === 'FastifyError' ? error.code : error.name] ?? internalError;
    return answer(error, request, reply);
  });
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
  if ('details' in rejection) return known(reply, code, details);
  return plain(reply.headers(rejection.headers ?? {}), rejection.status, plainText(rejection, details));
}

function known(reply: FastifyReply, code: DomainError['code'], facts: DomainError['details']): FastifyReply {
  const rejection = rejections[code];
  if (!('details' in rejection)) throw new Error(`${code} is not in the catalog`);
  return reply
    .code(rejection.status)
    .header('x-stack-known-error', code)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(code, rejection, facts), null, 2));
}

/** The only place that logs a failure: with its stack and the request ID, which the response contains. */
function internalError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'request failed');
  const text = `Internal server error. If it keeps happening, send the request ID ${request.id} to the operator of this server.`;
  return plain(reply, 500, text);
}
