import rateLimit from '@fastify/rate-limit';
import { canonicalEmail } from '@gatebook/domain/user/email';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';

/** What a route is limited as; see `docs/rate-limits.md`. */
export type LimitedAs =
  | 'sign-in'
  | 'sign-up'
  | 'set-up'
  | 'password-update'
  | 'refresh'
  | 'send-code'
  | 'code'
  | 'cli-login'
  | 'cli-poll'
  | 'test-email'
  | 'oauth'
  | 'export';
/** `user`: whoever is signed in. */
type Per = 'address' | 'account' | 'account-and-address' | 'user' | 'project';
type Rule = { per: Per; max: number; minutes: number };

/**
 * Generous for people and their dashboards, tight for guessing. An account's own limit is wider than that of an account from
 * one address, so that a stranger's guesses hardly lock its owner out.
 */
const rules: Readonly<Record<LimitedAs, readonly Rule[]>> = {
  'sign-in': [
    { per: 'address', max: 120, minutes: 1 },
    { per: 'account-and-address', max: 10, minutes: 1 },
    { per: 'account', max: 60, minutes: 10 },
  ],
  'sign-up': [
    { per: 'address', max: 60, minutes: 1 },
    { per: 'account', max: 20, minutes: 10 },
  ],
  'set-up': [{ per: 'address', max: 20, minutes: 1 }],
  'password-update': [{ per: 'account', max: 10, minutes: 1 }],
  /** What makes a mail leave: known and unknown addresses count alike, so that the limit tells nothing. */
  'send-code': [
    { per: 'address', max: 60, minutes: 10 },
    { per: 'account', max: 10, minutes: 10 },
  ],
  /** A code itself bears 20 attempts; this is against trying many codes. */
  code: [{ per: 'address', max: 120, minutes: 1 }],
  /** Each visit to a provider is an event of the log, and comes back once. */
  oauth: [{ per: 'address', max: 120, minutes: 1 }],
  'cli-login': [{ per: 'address', max: 30, minutes: 1 }],
  'cli-poll': [{ per: 'address', max: 600, minutes: 1 }],
  /** Each opens a connection to wherever the caller likes. */
  'test-email': [{ per: 'project', max: 20, minutes: 10 }],
  /** Reads all that there is of one person. Nobody alone can use up what a project has. */
  export: [
    { per: 'user', max: 10, minutes: 10 },
    { per: 'project', max: 60, minutes: 1 },
  ],
  refresh: [{ per: 'address', max: 1200, minutes: 1 }],
};

/** Requests do not wait for a shared place that did not answer so long ago. */
const awayMs = 1_000;

class TooManyRequestsError extends Error {
  constructor() {
    super('Too many requests. Wait as long as the header retry-after says, then try again.');
    this.name = 'TooManyRequestsError';
  }
}

/** Where all processes count together: a client of Redis, as the plugin wants it. */
export type SharedCounts = object;

type Take = ReturnType<FastifyInstance['createRateLimit']>;

/**
 * Counts after validation, so that malformed requests use nothing up: in the shared place if there is one, and in this
 * process's memory while it is away. What is shared says of nobody who they are.
 */
export async function limitRates(
  app: FastifyInstance,
  { sharedCounts, lookupHash, logger }: Pick<Deps, 'sharedCounts' | 'lookupHash' | 'logger'>,
): Promise<void> {
  const own = await counterOf(app, {});
  const shared = sharedCounts && (await counterOf(app, { redis: sharedCounts, nameSpace: 'gatebook:limits:' }));
  let awaySince: number | null = null;
  const isAway = () => awaySince !== null && performance.now() < awaySince + awayMs;
  const leaveAlone = (error: unknown) => {
    if (awaySince === null) {
      logger.warn({ err: error }, 'the shared counts of rate limits are away, this process counts for itself');
    }
    awaySince = performance.now();
  };

  const limits = Object.entries(rules).flatMap(([limitedAs, ofRoute]) =>
    ofRoute.map(({ per, max, minutes }) => {
      const options = { max, timeWindow: minutes * 60_000 };
      const key = (request: FastifyRequest) => `${limitedAs} ${keyOf(request, per)}`;
      const takeOwn = own({ ...options, keyGenerator: key });
      const hashedKey = (request: FastifyRequest) => lookupHash(`limit ${per}`, '', key(request));
      const takeShared = shared?.({ ...options, keyGenerator: hashedKey });
      const take: Take = async (request) => {
        if (!takeShared || isAway()) return takeOwn(request);
        try {
          const result = await takeShared(request);
          awaySince = null;
          return result;
        } catch (error) {
          leaveAlone(error);
          return takeOwn(request);
        }
      };
      return { limitedAs, per, take };
    }),
  );
  app.addHook('preHandler', async (request: FastifyRequest, reply: FastifyReply) => {
    const { limitedAs } = request.routeOptions.config;
    if (!limitedAs) return;
    // A server calls for many people from one address, and says so with its secret key.
    const isServer = request.caller !== null && request.caller.accessType !== 'client';
    for (const limit of limits) {
      if (limit.limitedAs !== limitedAs || (isServer && limit.per !== 'account' && limit.per !== 'project')) continue;
      const result = await limit.take(request);
      if (!result.isAllowed && result.isExceeded) {
        reply.header('retry-after', String(Math.max(1, result.ttlInSeconds)));
        throw new TooManyRequestsError();
      }
    }
  });
}

/** The plugin keeps its counts in one place for each time it is registered. */
async function counterOf(app: FastifyInstance, options: object): Promise<FastifyInstance['createRateLimit']> {
  const found: FastifyInstance['createRateLimit'][] = [];
  await app.register(async (scope) => {
    await scope.register(rateLimit, { global: false, ...options });
    found.push(scope.createRateLimit);
  });
  const [createRateLimit] = found;
  if (!createRateLimit) throw new Error('the rate limits were not registered');
  return createRateLimit;
}

function keyOf(request: FastifyRequest, per: Per): string {
  const account = `${request.caller?.projectId ?? ''} ${accountOf(request)}`;
  const network = networkOf(request.ip);
  if (per === 'address') return network;
  if (per === 'project') return request.caller?.projectId ?? '';
  if (per === 'user') return request.caller?.user?.id ?? network;
  return per === 'account' ? account : `${account} ${network}`;
}

/** Of an IPv6 address the first 64 bits: the rest is its owner's to change at will. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length);
  const [head = '', tail] = address.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4).join(':');
}

/** The signed-in user, or the address that somebody wants to sign in with. */
function accountOf({ caller, body }: FastifyRequest): string {
  if (caller?.user && !hasEmail(body)) return caller.user.id;
  return hasEmail(body) ? canonicalEmail(body.email) : '';
}

function hasEmail(body: unknown): body is { email: string } {
  return typeof body === 'object' && body !== null && 'email' in body && typeof body.email === 'string';
}
