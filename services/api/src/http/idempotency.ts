import { streamOf } from '@gatebook/commands/streams';
import { reject } from '@gatebook/domain/errors';
import { isDecided, requestDecider } from '@gatebook/domain/request/decide';
import type { RequestEvent } from '@gatebook/domain/request/events';
import type { EncryptedResponse, Reservation } from '@gatebook/readmodel/requests/idempotency-records';
import { findCurrentUser } from '@gatebook/readmodel/users/queries';
import { pause } from '@gatebook/runtime/pause';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sentKey } from '../caller-keys.ts';
import type { Deps } from '../deps.ts';
import { actualStatus, isApiPath, stackHeader } from './conventions.ts';
import { waitFor } from './read-your-writes.ts';
import { isEmptySuccess, issuedTokens, subjectsOf } from './response-subjects.ts';
import { addStep } from './steps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** ID of the idempotency record; null for a request without a key. */
    idempotencyHash: string | null;
    /** The error that the handler threw. */
    failure: Error | null;
  }
}

type IdempotencyRecord = { status: number; headers: Record<string, string>; body: string };
type RequestKey = { id: string; fingerprint: string; holder: string };

const writes: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
const keyForm = /^[\x21-\x7e]{1,255}$/;
/** Headers to store. The others are the same for every response, or only valid at the moment. */
const storedHeaders = [
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'location',
  'pragma',
  'retry-after',
  'x-read-model',
  'x-stack-known-error',
] as const;
const waitMs = 5_000;
/** Doubles after each poll, so that many waiting requests put less load on the database. */
const firstPauseMs = 25;
const longestPauseMs = 400;

/**
 * Executes a write with an `Idempotency-Key` once. For a day, the same write gets the stored response, and a different
 * write with the same key is rejected (architecture §4). Domain errors are stored too; server errors and temporary
 * conditions are not.
 */
export function handleIdempotencyKeys(app: FastifyInstance, deps: Deps): void {
  const { idempotencyRecords, logger } = deps;
  app.decorateRequest('idempotencyHash', null);
  app.decorateRequest('failure', null);

  async function decideOnce(request: FastifyRequest, reply: FastifyReply, key: string | string[]) {
    if (typeof key !== 'string' || !keyForm.test(key)) return reject('IDEMPOTENCY_KEY_INVALID');
    const requestKey = requestKeyOf(deps, request, key);
    const found = await reserve(deps, requestKey);
    switch (found.state) {
      case 'reserved':
        request.idempotencyHash = requestKey.id;
        return rejectIfExecuted(deps, reply, requestKey.id);
      case 'answered':
        return replay(deps, request, reply, requestKey.id, found);
      case 'other_request':
        return reject('IDEMPOTENCY_KEY_REUSED');
      case 'running':
        reply.header('retry-after', '1');
        return reject('REQUEST_STILL_RUNNING');
    }
  }
  addStep(app, 'preHandler', (request, reply) => {
    const key = request.headers['idempotency-key'];
    if (key !== undefined && acceptsIdempotencyKey(request)) return decideOnce(request, reply, key);
  });

  app.addHook('onError', (request, _reply, error, done) => {
    request.failure = error;
    done();
  });

  async function keepResponse(request: FastifyRequest, reply: FastifyReply, payload: unknown, idempotencyHash: string) {
    const held = { id: idempotencyHash, holder: request.id };
    const response = responseOf(reply, payload);
    try {
      const isStored = response !== null && isLasting(request, response);
      const encrypted = isStored ? await encryptRecord(deps, request, idempotencyHash, response) : null;
      if (encrypted === null) await idempotencyRecords.release(held);
      else await idempotencyRecords.keep(held, encrypted);
    } catch (error) {
      // The write is done in any case. A retry gets RESPONSE_LOST.
      logger.warn({ err: error, requestId: request.id }, 'could not store idempotency record');
    }
  }
  addStep(app, 'onSend', (request, reply, payload) => {
    const { idempotencyHash } = request;
    return idempotencyHash === null ? undefined : keepResponse(request, reply, payload, idempotencyHash);
  });
}

/**
 * Writes to existing paths. Routes that are open to anyone without a rate limit change nothing and could fill the
 * table.
 */
function acceptsIdempotencyKey({ method, url, is404, routeOptions: { config } }: FastifyRequest): boolean {
  const isOpenToAll = config.access === 'anyone' && config.limit === undefined;
  return writes.includes(method) && isApiPath(url) && !is404 && !isOpenToAll && !config.storesNothing;
}

/** IDs that reveal nothing: keyed hashes of the caller and key, and of the request. */
function requestKeyOf({ lookupHash }: Deps, request: FastifyRequest, key: string): RequestKey {
  const { id: holder, caller, method, url, body } = request;
  const projectId = caller?.projectId ?? '';
  const id = lookupHash('request', projectId, JSON.stringify([identityOf(request), key]));
  const fingerprint = lookupHash('request body', projectId, JSON.stringify([method, url, body ?? null]));
  return { id, fingerprint, holder };
}

/**
 * Everything that ties a response to a caller. Users keep their idempotency keys across token refreshes, except for
 * writes about the session itself. Clients without a user are distinguished by their address, because others may pick
 * the same key.
 */
function identityOf(request: FastifyRequest) {
  const { caller, clientAddress, headers } = request;
  const accessType = caller?.accessType ?? null;
  const [ownerId, userId] = [caller?.owner?.id ?? null, caller?.token?.userId ?? null];
  const isClient = accessType === null || accessType === 'client';
  const projectKey = isClient || ownerId !== null ? null : (sentKey(request, accessType) ?? caller?.keyId ?? null);
  const address = isClient && ownerId === null && userId === null ? clientAddress : null;
  const session = request.routeOptions.url?.startsWith('/api/v1/auth/')
    ? [caller?.token?.sessionId ?? null, stackHeader(request, 'refresh-token') ?? null, headers.authorization ?? null]
    : null;
  return { accessType, ownerId, userId, projectKey, address, session };
}

/** Waits for a request with the same key that is still running. */
async function reserve({ idempotencyRecords, now }: Deps, requestKey: RequestKey): Promise<Reservation> {
  let pauseMs = firstPauseMs;
  for (let waited = 0; ; waited += pauseMs, pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const found = await idempotencyRecords.reserve({ ...requestKey, at: now() });
    if (found.state !== 'running' || waited >= waitMs) return found;
    await pause(pauseMs);
  }
}

/** An earlier process may have executed the request and failed before it stored the response. */
async function rejectIfExecuted(deps: Deps, reply: FastifyReply, id: string): Promise<void> {
  const { events } = await deps.store.readStream<RequestEvent>(streamOf.request(id));
  const [last] = events.slice(-1);
  if (!last || !isDecided(requestDecider.evolve(requestDecider.initialState, last), deps.now())) return;
  // The caller will read what changed.
  await waitFor(deps, reply, last.position);
  return reject('RESPONSE_LOST');
}

/**
 * Encrypts the response under all its subjects, so that it can't be read once one of them is erased.
 * @returns null if the response can't be stored: a subject is already erased, or there are too many
 */
async function encryptRecord(
  { responseCipher, lookupHash }: Deps,
  request: FastifyRequest,
  id: string,
  response: IdempotencyRecord,
) {
  const { caller, url } = request;
  // OAuth token requests name the project in the body.
  const projectId = caller?.projectId ?? issuedTokens(response.body)[0]?.projectId ?? '';
  const callerIds = [caller?.owner?.id, caller?.token?.userId].filter((userId) => userId !== undefined);
  const subjects = subjectsOf(lookupHash, { projectId, url, body: response.body, callerIds });
  const encrypted = subjects && (await responseCipher.encrypt(id, subjects.ids, JSON.stringify(response)));
  return encrypted && { ...encrypted, concerns: [...encrypted.subjects, ...subjects.addressRefs, projectId] };
}

/**
 * @throws DomainError RESPONSE_LOST also if the caller, or the user whose tokens the response contains, is
 * deleted or signed out
 */
async function replay(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  encrypted: EncryptedResponse,
) {
  const record = await decryptRecord(deps, request, id, encrypted);
  if (record === null || !(await isCallerStillAllowed(deps, request, record))) return reject('RESPONSE_LOST');
  return reply.code(record.status).headers(record.headers).header('idempotency-replayed', 'true').send(record.body);
}

async function decryptRecord(
  { responseCipher, logger }: Deps,
  request: FastifyRequest,
  id: string,
  encrypted: EncryptedResponse,
) {
  try {
    const text = await responseCipher.open(id, encrypted);
    return text === null ? null : (JSON.parse(text) as IdempotencyRecord);
  } catch (error) {
    // Encrypted under a master key that was rotated since.
    logger.warn({ err: error, requestId: request.id }, 'could not decrypt idempotency record');
    return null;
  }
}

/** The write that signed the caller out can be replayed. */
async function isCallerStillAllowed(
  { db }: Deps,
  { caller, routeOptions }: FastifyRequest,
  { body }: IdempotencyRecord,
) {
  const isCallerGone = caller !== null && caller.token !== null && caller.user === null;
  const isSignOut = routeOptions.config.ignoresEndedSession === true && isEmptySuccess(body);
  if (isCallerGone && !isSignOut) return false;
  for (const { projectId, userId, sessionId } of issuedTokens(body)) {
    const found = await findCurrentUser(db, projectId, userId, sessionId);
    if (!found?.isSessionLive) return false;
  }
  return true;
}

/** @returns null if the response is not text */
function responseOf(reply: FastifyReply, payload: unknown): IdempotencyRecord | null {
  const body = payload ?? '';
  if (typeof body !== 'string') return null;
  const headers = storedHeaders.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)]];
  });
  // The status before it was overridden on request (protocol, conventions §7).
  const status = actualStatus(reply);
  return { status, headers: Object.fromEntries(headers), body };
}

/** Requests that failed authentication, a rate limit or a precondition can be retried, so they are not stored. */
const isLasting = ({ failure }: FastifyRequest, { status }: IdempotencyRecord) =>
  status < 500 && ![401, 412, 429].includes(status) && (failure === null || failure.name === 'DomainError');
