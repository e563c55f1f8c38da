import type { EndUser } from '@gatebook/commands/deps';
import type { Language } from '@gatebook/domain/email/languages';
import { reject } from '@gatebook/domain/errors';
import { findDeletedProject } from '@gatebook/readmodel/projects/queries';
import { findCurrentUser, findMemberSession } from '@gatebook/readmodel/users/queries';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { checkAccess, checkSession, type FieldRules, type SessionRule } from '../access.ts';
import type { Caller, CallerParts } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { identifyCaller } from '../identify-caller.ts';
import { checkRole, roleRuleFor } from '../roles.ts';
import { openWebhooksToken } from '../webhooks-token.ts';
import { preferredLanguageOf } from './accept-language.ts';
import { softwareOf } from './client-version.ts';
import { isApiPath } from './conventions.ts';
import { clientAddressOf, endUserOf, type ProxyTrust, passedOnAddressOf } from './end-user.ts';
import { namedProjects, seeAcknowledgedWrites } from './read-your-writes.ts';
import { answerUnknownPath } from './unknown-paths.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null for a request without an access type. */
    caller: Caller | null;
    endUser: EndUser;
    /** What `Accept-Language` asks for, of the languages of emails. */
    language: Language | null;
    /** The address of the client; null if the client is gone. */
    clientAddress: string | null;
    /** Who sent the request: like `clientAddress`, but never an address that an app server passed on. */
    senderAddress: string | null;
    /** Whether `clientAddress` is the address that an app server passed on. */
    isAddressPassedOn: boolean;
  }
}

type Parts = Pick<Deps, 'projects' | 'tokens' | 'db' | 'responseCipher' | 'activity' | 'now'>;

const callerParts = ({ projects, tokens, db, responseCipher, activity, now }: Parts): CallerParts => ({
  projects,
  tokens,
  findCurrentUser: (projectId, userId, sessionId) => findCurrentUser(db, projectId, userId, sessionId),
  findMember: (userId, sessionId, projectId, options) => findMemberSession(db, userId, sessionId, projectId, options),
  findDeletedProject: (projectId) => findDeletedProject(db, projectId),
  recordKeyUse: ({ keyId, projectId }) => activity.recordKeyUse({ keyId, ownerId: keyId, projectId, at: now() }),
  openWebhooksToken: (token) => openWebhooksToken(responseCipher, token),
});

const roleRuleOf = ({ method, routeOptions: { config } }: FastifyRequest) =>
  roleRuleFor({ method, access: config.access ?? 'anyone', role: config.role });

/** Checks again whether the caller may call the route. `at`: in milliseconds. @throws DomainError */
export async function checkCallerAgain(deps: Parts, request: FastifyRequest, at: number): Promise<void> {
  const { access = 'anyone' } = request.routeOptions.config;
  const options = { ignoresEndedSession: false, opensDeletedProject: false, takesWebhooksToken: false, at };
  const caller = await identifyCaller(callerParts(deps), request, options);
  checkAccess(access, caller);
  checkRole(roleRuleOf(request), caller, request.body);
}

/** Checks every request to the API, including requests to unknown paths. */
export function checkCallers(app: FastifyInstance, deps: Deps, isTrusted: ProxyTrust): void {
  const { clientHeaders } = deps.config.http;
  const location = { isTrusted, headers: clientHeaders, countryOf: deps.countryOf };
  const parts = callerParts(deps);
  app.decorateRequest('caller', null);
  app.decorateRequest('endUser', null as never);
  app.decorateRequest('language', null);
  app.decorateRequest('clientAddress', null);
  app.decorateRequest('senderAddress', null);
  app.decorateRequest('isAddressPassedOn', false);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (isApiPath(url) && !config?.access) throw new Error(`${method} ${url} declares no access`);
  });
  app.addHook('preValidation', async (request, reply) => {
    if (!isApiPath(request.url)) return;
    const { access = 'anyone', session = 'any', ...config } = request.routeOptions.config;
    const { ignoresEndedSession = false, opensDeletedProject = false, takesWebhooksToken = false } = config;
    const at = Date.parse(deps.now());
    request.senderAddress = clientAddressOf(request, isTrusted, clientHeaders);
    request.clientAddress = request.senderAddress;
    request.endUser = endUserOf(request, location);
    request.language = preferredLanguageOf(request.headers['accept-language']);
    await seeAcknowledgedWrites(deps, reply, namedProjects(request));
    request.caller = await identifyCaller(parts, request, {
      ...{ ignoresEndedSession, opensDeletedProject, takesWebhooksToken, at },
    });
    const passedOn = request.caller?.isFromServer ? passedOnAddressOf(request) : null;
    if (passedOn !== null) {
      Object.assign(request, { clientAddress: passedOn, isAddressPassedOn: true });
      request.endUser = endUserOf(request, location);
    }
    recordFirstRequest(deps, request);
    // The router accepts an empty ID; paths have no trailing slash (protocol, conventions §1).
    if (/\/(\?|$)/.test(request.url)) return answerUnknownPath(request, reply);
    checkAccess(access, request.caller);
    checkRole(roleRuleOf(request), request.caller, request.body);
    if (request.caller) checkSession(ruleFor(session, request.body), request.caller, at);
    if (request.routeOptions.config.replacesMe) replaceMe(request);
  });
}

/** The dashboard and the sign-in pages of this server, which send no referrer, unlike apps with a proxy to it. */
const isOwnPage = ({ headers }: FastifyRequest) =>
  headers['sec-fetch-site'] === 'same-origin' && headers.referer === undefined;

function recordFirstRequest({ activity, now }: Pick<Deps, 'activity' | 'now'>, request: FastifyRequest): void {
  const { caller } = request;
  if (!caller || caller.owner !== null || isOwnPage(request)) return;
  const { projectId, accessType, keyId } = caller;
  activity.recordFirstRequest(projectId, () => ({ at: now(), accessType, keyId, client: softwareOf(request) }));
}

const strictness = { any: 0, own: 1, recent: 2 } as const satisfies Record<SessionRule, number>;

/** The strictest rule of the fields in the body. The schema rejects fields without a rule. */
function ruleFor(rule: FieldRules | SessionRule, body: unknown): SessionRule {
  if (typeof rule === 'string') return rule;
  return Object.keys(body ?? {}).reduce<SessionRule>((strictest, field) => {
    const own = Object.hasOwn(rule, field) ? (rule[field] ?? 'own') : 'own';
    return strictness[own] > strictness[strictest] ? own : strictest;
  }, 'any');
}

/** Fields in which `me` stands for the signed-in user. */
const userFields = ['user_id', 'creator_user_id'] as const;

/** Replaces `me` before any other rule applies (protocol, conventions §8). */
function replaceMe({ query, body, caller }: FastifyRequest): void {
  for (const part of [query, body]) {
    if (typeof part !== 'object' || part === null) continue;
    for (const field of userFields) {
      if ((part as Record<string, unknown>)[field] !== 'me') continue;
      Object.assign(part, { [field]: caller?.user?.id ?? reject('CANNOT_GET_OWN_USER_WITHOUT_USER') });
    }
  }
}
