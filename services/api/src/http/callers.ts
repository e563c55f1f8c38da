import { reject } from '@gatebook/domain/errors';
import { findCurrentUser, findOwner } from '@gatebook/readmodel/users/queries';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Access, type AccessType, checkAccess, checkSession, type SessionRule } from '../access.ts';
import { type Caller, identifyCaller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { routeAccess, sessionRules } from '../routes/table.ts';
import { isApiPath, stackHeader } from './conventions.ts';
import { clientAddressOf, type EndUser, endUserOf, type ProxyTrust } from './end-user.ts';
import type { LimitedAs } from './limit-rules.ts';
import { seeAcknowledgedWrites } from './read-your-writes.ts';
import { answerUnknownPath } from './unknown-paths.ts';

type FieldRules = Readonly<Record<string, SessionRule>>;

declare module 'fastify' {
  interface FastifyRequest {
    /** null for a request that says nothing about itself. */
    caller: Caller | null;
    endUser: EndUser;
    /** Where it comes from, whoever sends it; null for a client that is gone. */
    clientAddress: string | null;
  }
  interface FastifyContextConfig {
    /** Filled in from the route table. */
    access?: Access;
    sessionRule?: SessionRule | FieldRules;
    /** Body schemas of single access types, where they differ from the route's. */
    bodyFor?: Partial<Record<AccessType, z.ZodType>>;
    /** The schema needs a signed-in user: without one that is a fault like any other (conventions §3.2, step 8). */
    needsUser?: boolean;
    /** `me` stands for the signed-in user in the fields of query and body that name a user. */
    replacesMe?: boolean;
    ignoresEndedSession?: boolean;
    limitedAs?: LimitedAs;
    /** The query is checked but means nothing here; the API's description leaves it out. */
    isQueryIgnored?: boolean;
  }
}

/** Every request of the API is checked here, also one to a path that does not exist. */
export function checkCallers(app: FastifyInstance, deps: Deps, isTrusted: ProxyTrust): void {
  const { clientHeaders } = deps.config.http;
  const parts = {
    projects: deps.projects,
    tokens: deps.tokens,
    findCurrentUser: (projectId: string, userId: string, sessionId: string) =>
      findCurrentUser(deps.db, projectId, userId, sessionId),
    findOwner: (userId: string, sessionId: string, projectId: string) =>
      findOwner(deps.db, userId, sessionId, projectId),
    now: deps.now,
  };
  app.decorateRequest('caller', null);
  app.decorateRequest('endUser', null as never);
  app.decorateRequest('clientAddress', null);
  app.addHook('onRoute', (route) => {
    if (!isApiPath(route.url) || route.config?.access) return;
    const methods = [route.method].flat().filter((method) => method !== 'HEAD');
    const accesses = methods.map((method) => routeAccess[`${method} ${route.url}`]);
    const [access] = accesses;
    // HEAD comes with GET and is open to the same.
    const ofGet = routeAccess[`GET ${route.url}`];
    if (access === undefined && (methods.length > 0 || ofGet === undefined)) {
      throw new Error(`${methods.join()} ${route.url} is not in the route table`);
    }
    const [sessionRule] = methods.map((method) => sessionRules[`${method} ${route.url}`]);
    const isClientWrite = access?.includes('client') && !methods.includes('GET');
    if (isClientWrite && sessionRule === undefined) {
      throw new Error(`${methods.join()} ${route.url} has no rule in the table of session rules`);
    }
    route.config = { ...route.config, access: access ?? ofGet ?? [], ...(sessionRule && { sessionRule }) };
  });
  app.addHook('preValidation', async (request, reply) => {
    if (!isApiPath(request.url)) return;
    const { access = 'anyone', sessionRule = 'any', ignoresEndedSession = false } = request.routeOptions.config;
    request.clientAddress = clientAddressOf(request, isTrusted, clientHeaders);
    request.endUser = endUserOf(request, isTrusted, clientHeaders);
    await seeAcknowledgedWrites(deps, reply, namedProjects(request));
    request.caller = await identifyCaller(parts, request, { ignoresEndedSession });
    // The router takes an empty id for one; paths have no trailing slash (conventions §1).
    if (/\/(\?|$)/.test(request.url)) return answerUnknownPath(request, reply);
    checkAccess(access, request.caller);
    if (request.caller) checkSession(ruleFor(sessionRule, request.body), request.caller, deps.now());
    if (request.routeOptions.config.replacesMe) replaceMe(request);
  });
}

const strictness = { any: 0, own: 1, recent: 2 } as const satisfies Record<SessionRule, number>;

/** Of a rule by fields, the strictest of those that are sent; a field without a rule is rejected by the schema. */
function ruleFor(rule: FieldRules | SessionRule, body: unknown): SessionRule {
  if (typeof rule === 'string') return rule;
  return Object.keys(body ?? {}).reduce<SessionRule>((strictest, field) => {
    const own = Object.hasOwn(rule, field) ? (rule[field] ?? 'own') : 'own';
    return strictness[own] > strictness[strictest] ? own : strictest;
  }, 'any');
}

/** Projects whose rows are read before anything else is known of the caller; an owner's own are in `internal`. */
function namedProjects(request: FastifyRequest): readonly string[] {
  const projectId = stackHeader(request, 'project-id');
  const isOwner = stackHeader(request, 'admin-access-token') !== undefined;
  return [...(projectId === undefined ? [] : [projectId]), ...(isOwner ? ['internal'] : [])];
}

/** Where `me` may stand for the signed-in user. */
const userFields = ['user_id', 'creator_user_id'] as const;

/** `me` is replaced before any other rule (conventions §8). */
function replaceMe({ query, body, caller }: FastifyRequest): void {
  for (const part of [query, body]) {
    if (typeof part !== 'object' || part === null) continue;
    for (const field of userFields) {
      if ((part as Record<string, unknown>)[field] !== 'me') continue;
      Object.assign(part, { [field]: caller?.user?.id ?? reject('CANNOT_GET_OWN_USER_WITHOUT_USER') });
    }
  }
}
