import { readState } from '@gatebook/commands/execute';
import { streamOf } from '@gatebook/commands/streams';
import { refuse } from '@gatebook/domain/errors';
import { requestDecider } from '@gatebook/domain/request/decide';
import { pause } from '@gatebook/runtime/pause';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { isApiPath } from './conventions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Id under which this request is decided once and its answer is kept; null for one without a key. */
    once: string | null;
    /** What the handler threw, if it did. */
    failure: Error | null;
  }
}

type KeptAnswer = { status: number; headers: Record<string, string>; body: string };

const writes: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
const keyForm = /^[\x21-\x7e]{1,255}$/;
/** The others are the same for every answer, or of the moment. */
const keptHeaders = ['content-type', 'content-disposition', 'x-stack-known-error', 'x-read-model'] as const;
const patienceMs = 5_000;
const lookAgainMs = 50;

/**
 * A write with an `Idempotency-Key` is decided once: for a day the same write gets the first answer again, another with the same
 * key is refused (architecture §4). Refusals are answers too; faults of ours are not, nor is what is only of the moment.
 */
export function decideOnce(app: FastifyInstance, deps: Deps): void {
  const { keptAnswers, answerSeal, logger } = deps;
  app.decorateRequest('once', null);
  app.decorateRequest('failure', null);

  app.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined || !writes.includes(request.method) || !isApiPath(request.url)) return;
    if (typeof key !== 'string' || !keyForm.test(key)) return refuse('IDEMPOTENCY_KEY_INVALID');
    const asked = whatIsAsked(deps, request, key);
    const answer = await reserve(deps, reply, asked);
    if (answer === null || answer === 'lost') request.once = asked.id;
    if (answer === 'lost') return refuse('REQUEST_ANSWER_LOST');
    if (answer === null) return;
    reply.header('idempotency-replayed', 'true');
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  });

  app.addHook('onError', async (request, _reply, error) => {
    request.failure = error;
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const { once } = request;
    if (once === null) return payload;
    const answer = typeof payload === 'string' ? answerOf(reply, payload) : null;
    try {
      if (answer !== null && isLasting(request, answer)) {
        await keptAnswers.keep(once, answerSeal.seal(once, JSON.stringify(answer)));
      } else await keptAnswers.release(once);
    } catch (error) {
      // The write is done either way; who asks again is told that its answer is lost.
      logger.warn({ err: error, requestId: request.id }, 'an answer could not be kept');
    }
    return payload;
  });
}

/** Ids that tell nothing: keyed hashes of who asks by which key, and of what is asked. */
function whatIsAsked({ lookupHash }: Deps, request: FastifyRequest, key: string) {
  const { caller, method, url, body } = request;
  const projectId = caller?.projectId ?? '';
  const person = caller?.owner?.id ?? caller?.user?.id;
  // Without a name of its own a client is told apart by where it is: others may come upon the same key.
  const who = person ?? (caller?.accessType === 'client' || !caller ? request.ip : null);
  const id = lookupHash('request', projectId, JSON.stringify([caller?.accessType ?? null, who, key]));
  const fingerprint = lookupHash('request body', projectId, JSON.stringify([method, url, body ?? null]));
  return { id, fingerprint, projectId };
}

/** @returns the answer that was given before; null when there is none and the handler may run; `lost` when there was one */
async function reserve(
  deps: Deps,
  reply: FastifyReply,
  { id, fingerprint }: { id: string; fingerprint: string },
): Promise<KeptAnswer | 'lost' | null> {
  const { keptAnswers, answerSeal, store } = deps;
  for (let waited = 0; ; waited += lookAgainMs) {
    const found = await keptAnswers.reserve({ id, fingerprint, at: deps.now() });
    switch (found.state) {
      case 'reserved':
        return null;
      case 'answered':
        return JSON.parse(answerSeal.open(id, found.answer)) as KeptAnswer;
      case 'other_request':
        return refuse('IDEMPOTENCY_KEY_REUSED');
      case 'taken_over': {
        const { state } = await readState(store, requestDecider, streamOf.request(id));
        return state === 'open' ? null : 'lost';
      }
      case 'running':
        if (waited >= patienceMs) {
          reply.header('retry-after', '1');
          return refuse('REQUEST_STILL_RUNNING');
        }
        await pause(lookAgainMs);
    }
  }
}

function answerOf(reply: FastifyReply, body: string): KeptAnswer {
  const headers = keptHeaders.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)]];
  });
  // What the status was before somebody asked for another (conventions §7).
  const status = Number(reply.getHeader('x-stack-actual-status') ?? reply.statusCode);
  return { status, headers: Object.fromEntries(headers), body };
}

const isLasting = ({ failure }: FastifyRequest, { status }: KeptAnswer) =>
  status < 500 && status !== 429 && (failure === null || failure.name === 'DomainError');
