import { errorBody, plainText, rejections } from '@gatebook/contract/plain-errors';
import type { DomainError } from '@gatebook/domain/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maxBodyBytes } from './body.ts';

type Answer = (error: Error & Partial<FastifyError>, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Somewhat more than it takes to notice that it is back. */
const logRetrySeconds = 5;

const plain = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).type('text/plain; charset=utf-8').send(text);

/** How each kind of error is answered, by its name or by the code that fastify gives it. */
const answers: Readonly<Record<string, Answer>> = {
  DomainError: (error, request, reply) => rejected(error as DomainError, request, reply),
  ConcurrencyError: (_error, _request, reply) =>
    plain(reply, 409, 'Something else changed this at the same moment. It is safe to try again.'),
  OverloadedError: (error, _request, reply) =>
    plain(
      reply.header('retry-after', String(retryAfter(error))),
      503,
      'There is too much to do just now. Try again in a moment.',
    ),
  ReadModelNotReadyError: (_error, _request, reply) =>
    plain(reply.header('retry-after', '1'), 503, 'Gatebook is still getting ready. Try again in a moment.'),
  LogUnavailableError: (error, request, reply) => {
    request.log.warn({ err: error, requestId: request.id, route: request.routeOptions.url }, 'the log is away');
    const text =
      'Nothing can be changed just now, because the log of this server can’t be reached. Try again in a moment.';
    return plain(reply.header('retry-after', String(logRetrySeconds)), 503, text);
  },
  // No retry-after: a client that repeats by itself might do it twice.
  AppendOutcomeUnknownError: (error, request, reply) => {
    request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'the log went away');
    const text = 'The log of this server went away while it took this. Look whether it was done before you try again.';
    return plain(reply, 503, text);
  },
  TooManyRequestsError: (error, _request, reply) => plain(reply, 429, error.message),
  FST_ERR_CTP_BODY_TOO_LARGE: (_error, _request, reply) =>
    known(reply, 'BODY_PARSING_ERROR', { message: `The body is larger than ${maxBodyBytes} bytes.` }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (_error, _request, reply) =>
    known(reply, 'BODY_PARSING_ERROR', { message: 'The body is not as long as its content-length says.' }),
};

const retryAfter = (error: Error) => ('retryAfterSeconds' in error ? Number(error.retryAfterSeconds) : 1);

/** Known errors with their code, plain rejections as one sentence, everything else as 500 without details. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: Error & Partial<FastifyError>, request, reply) => {
    if (isAbandoned(error, request)) return answerAbandoned(error, request, reply);
    const answer = answers[error.code && error.name === 'FastifyError' ? error.code : error.name] ?? internalError;
    return answer(error, request, reply);
  });
}

/** The client hung up, or was too slow, before its request was whole: the error is that of the request's own stream. */
const isAbandoned = (error: Error, { raw }: FastifyRequest) => raw.errored === error;

/** Nobody reads it. Whoever opens connections must not be able to fill the log. */
function answerAbandoned(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { id: requestId, routeOptions } = request;
  request.log.debug({ requestId, route: routeOptions.url, reason: error.message }, 'request abandoned by the client');
  return plain(reply, 400, 'The request was not sent completely.');
}

function rejected({ code, details }: DomainError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const rejection = rejections[code];
  if (isRejectedAccess(code, rejection.status)) {
    const { projectId, accessType, user } = request.caller ?? {};
    const who = { projectId, accessType, userId: user?.id };
    request.log.info({ code, requestId: request.id, route: request.routeOptions.url, ...who }, 'access rejected');
  }
  if ('details' in rejection) return known(reply, code, details);
  return plain(reply.headers(rejection.headers ?? {}), rejection.status, plainText(rejection, details));
}

/** Every rejected sign-in and call is written down; a token that has run out is everyday life. */
function isRejectedAccess(code: DomainError['code'], status: number): boolean {
  const isEveryday = code === 'ACCESS_TOKEN_EXPIRED' || code === 'ADMIN_ACCESS_TOKEN_EXPIRED';
  return code === 'EMAIL_PASSWORD_MISMATCH' || ((status === 401 || status === 403) && !isEveryday);
}

function known(reply: FastifyReply, code: DomainError['code'], facts: DomainError['details']): FastifyReply {
  const rejection = rejections[code];
  if (!('details' in rejection)) throw new Error(`${code} is not in the catalogue`);
  return reply
    .code(rejection.status)
    .header('x-stack-known-error', code)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(code, rejection, facts), null, 2));
}

/** The one place that logs a failure: with its stack, and with the request's id, which the caller is told. */
function internalError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'request failed');
  const text = `Something went wrong on our side. Check the input; if it is right, tell the operator of this server the request id ${request.id}.`;
  return plain(reply, 500, text);
}
