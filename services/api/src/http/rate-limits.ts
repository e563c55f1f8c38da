import { DomainError } from '@gatebook/domain/errors';
import type { Limiter } from '@gatebook/runtime/instruments';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { actualStatus, isApiPath } from './conventions.ts';
import { createAccountFinder } from './known-device.ts';
import { type Count, createMemoryCounts, createRedisCounts, withFallback } from './limit-counts.ts';
import { clientNetworkOf, keyOf, type Name } from './limit-keys.ts';
import { clientWrites, type LimitName, type Rule, rules } from './limit-rules.ts';
import { createOpenSlots } from './open-slots.ts';
import { addStep } from './steps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Slots that the request took under limits that count outcomes. */
    limitSlots: Slot[];
    /** The user whose mailbox the request proved to own without starting a session. Set by the handler. */
    provenUserId?: string;
  }
}

/** A slot under a limit; it is returned if the outcome is not what the limit counts. `key`: the hash of `name`. */
type Slot = { name: Name; key: string; rule: Rule };
type Limit = { name: string; rule: Rule };

/** The account that the rejected request names: null if it does not exist, undefined if nobody looked it up. */
type NamedUser = string | null | undefined;
type LimitedAccount = { userId: NamedUser; rule: Rule };

export class TooManyRequestsError extends Error {
  readonly limiter: Limiter;
  readonly account: LimitedAccount | null;

  constructor(limiter: Limiter, account: LimitedAccount | null = null) {
    super('too many requests');
    this.name = 'TooManyRequestsError';
    this.limiter = limiter;
    this.account = account;
  }
}

/** Long enough to sign in after a password reset. */
const provenMs = 24 * 60 * 60_000;

const writes: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Every write of a client counts for its user, also without a class of limits. */
export const isLimitedWrite = (method: string, url: string) => writes.includes(method) && isApiPath(url);

/**
 * Counts after validation, so that malformed requests do not count. Shared counts are stored under keyed hashes, which
 * identify nobody.
 */
export function limitRates(
  app: FastifyInstance,
  deps: Pick<Deps, 'db' | 'store' | 'lookupHash' | 'now' | 'logger' | 'sharedCounts'>,
): void {
  const { sharedCounts, lookupHash, now, logger } = deps;
  const own = createMemoryCounts(() => Date.parse(now()));
  const counts = sharedCounts ? withFallback(createRedisCounts(sharedCounts), own, logger) : own;
  const openSlots = createOpenSlots();
  const slotOf = (name: Name, rule: Rule): Slot => ({ name, key: lookupHash('rate limit', '', name), rule });
  const add = ({ key, rule }: Slot, amount: number): Promise<Count> => counts.add(key, amount, rule.minutes * 60_000);

  /** @throws TooManyRequestsError; then no slot is taken */
  async function take(request: FastifyRequest, reply: FastifyReply, slot: Slot, userId?: NamedUser): Promise<void> {
    const { name, key, rule } = slot;
    const amount = rule.counts === 'bytes' ? request.bodyBytes : 1;
    const { count, msLeft } = await add(slot, amount);
    if (count <= rule.max) {
      request.limitSlots.push(slot);
      if (countsOutcome(rule)) openSlots.open(key);
      return;
    }
    await add(slot, -amount);
    if (countsOutcome(rule) && (await openSlots.nextSettled(key))) return take(request, reply, slot, userId);
    const account = rule.sparesKnownDevices ? await findNamedAccount(request) : { userId, device: null };
    if (account.device === null) return rejectOver(rule, reply, msLeft, account.userId);
    const { sparesKnownDevices: _, ...ofDevice } = rule;
    const deviceName = `${name} ${account.device}` as Name;
    return take(request, reply, slotOf(deviceName, ofDevice), account.userId);
  }

  const provenKey = (request: FastifyRequest, userId: string) =>
    lookupHash('rate limit', '', JSON.stringify(['proven', userId, clientNetworkOf(request)]));
  /** Whether this client recently redeemed an emailed code of the user. */
  const hasProven = async (request: FastifyRequest, userId: string) =>
    (await counts.add(provenKey(request, userId), 0, provenMs)).count > 0;
  const findNamedAccount = createAccountFinder(deps, hasProven);

  app.decorateRequest('limitSlots', null as never);
  addStep(app, 'onRequest', (request) => {
    request.limitSlots = [];
  });
  async function takeAll(request: FastifyRequest, reply: FastifyReply, limits: readonly Limit[]): Promise<void> {
    for (const { name, rule } of limits) {
      const counted = keyOf(request, name, rule);
      if (counted !== null) await take(request, reply, slotOf(counted, rule));
    }
  }
  addStep(app, 'preHandler', (request, reply, { config }) => {
    const limits = limitsOf(request, config).filter(({ rule }) => !rule.sparesSuccesses);
    return limits.length > 0 ? takeAll(request, reply, limits) : undefined;
  });
  app.addHook('onRoute', (route) => {
    const { handler, config } = route;
    if (!config?.limit || !rules[config.limit].some(({ sparesSuccesses }) => sparesSuccesses)) return;
    route.handler = async function (request, reply) {
      try {
        return await handler.call(this, request, reply);
      } catch (error) {
        if (isRejection(error)) {
          const limits = limitsOf(request, config).filter(({ rule }) => rule.sparesSuccesses);
          await takeAll(request, reply, limits);
        }
        throw error;
      }
    };
  });
  async function settle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const outcome = outcomeOf(request, reply);
    const slots = (request.limitSlots ?? []).filter(({ rule }) => countsOutcome(rule));
    const returned = slots.filter(({ rule }) => rule.counts !== outcome);
    await Promise.all(returned.map((slot) => add(slot, -1)));
    for (const { key } of slots) openSlots.settle(key);
    const { provenUserId } = request;
    if (provenUserId !== undefined && outcome === 'successes') {
      await counts.add(provenKey(request, provenUserId), 1, provenMs);
    }
  }
  addStep(app, 'onSend', (request, reply) => {
    const hasNothing = !request.limitSlots?.length && request.provenUserId === undefined;
    return hasNothing ? undefined : settle(request, reply);
  });
}

function limitsOf(request: FastifyRequest, config: FastifyContextConfig): Limit[] {
  // The request for the preview counts.
  if (request.preview) return [];
  const { caller, isAddressPassedOn, method, url } = request;
  const isWrite = isLimitedWrite(method, url) && !config.writesNothing;
  const ofWrites = isWrite ? clientWrites.map((rule) => ({ name: 'write', rule })) : [];
  const ofRoute = config.limit ? limitsOfClass(config.limit) : [];
  const isServer = caller !== null && (caller.accessType !== 'client' || caller.isFromServer);
  const appliesToServer = ({ per, alsoForServers }: Rule) =>
    alsoForServers || (isAddressPassedOn && per.includes('address'));
  return [...ofRoute, ...ofWrites].filter(({ rule }) => !isServer || appliesToServer(rule));
}

/** Such a rule gets its slot back if the outcome is different. */
const countsOutcome = ({ counts, sparesSuccesses }: Rule) =>
  (counts === 'failures' || counts === 'successes') && !sparesSuccesses;

const limitsOfClass = (name: LimitName): Limit[] => rules[name].map((rule) => ({ name, rule }));

const rejectOver = (rule: Rule, reply: FastifyReply, msLeft: number, userId: NamedUser): never =>
  rejectUntilLater(reply, Math.max(1, Math.ceil(msLeft / 1_000)), 'rate_limit', { userId, rule });

/** @throws TooManyRequestsError */
export function rejectUntilLater(
  reply: FastifyReply,
  seconds: number,
  limiter: Limiter,
  account: LimitedAccount | null = null,
): never {
  reply.header('retry-after', String(seconds));
  throw new TooManyRequestsError(limiter, account);
}

/** A correct password is not a guess, even if the second factor is missing. */
const isRejection = (error: unknown) =>
  error instanceof DomainError && error.code !== 'MULTI_FACTOR_AUTHENTICATION_REQUIRED';

/** A replayed response only has a status. Server errors say nothing about the request. */
function outcomeOf({ failure }: FastifyRequest, reply: FastifyReply): 'failures' | 'successes' | 'neither' {
  if (failure) return isRejection(failure) ? 'failures' : failure instanceof DomainError ? 'successes' : 'neither';
  const status = actualStatus(reply);
  return status < 400 ? 'successes' : status < 500 ? 'failures' : 'neither';
}
