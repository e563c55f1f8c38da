import { reject } from '@gatebook/domain/errors';
import { findRestriction } from '@gatebook/domain/user/restriction';
import type { FastifyRequest } from 'fastify';
import { isAccessType } from './access-type.ts';
import { adminToken, findAccess, findActingAdmin } from './acting-admin.ts';
import type { Caller, CallerOptions, CallerParts, CurrentUser } from './caller.ts';
import { checkKey, keyHeaders, sentKey, showsSecretKey } from './caller-keys.ts';
import { stackHeader } from './http/conventions.ts';
import type { ProjectAccess } from './project-access-cache.ts';
import type { VerifiedToken } from './tokens.ts';

/**
 * Runs the checks of (protocol, conventions §3.2) in exactly that order. @returns null for a request without an access
 * type
 */
export async function identifyCaller(
  parts: CallerParts,
  request: FastifyRequest,
  options: CallerOptions,
): Promise<Caller | null> {
  const accessType = stackHeader(request, 'access-type');
  if (accessType === undefined) {
    if (Object.values(keyHeaders).some((name) => stackHeader(request, name)) || adminToken(request)) {
      reject('PROJECT_KEY_WITHOUT_ACCESS_TYPE');
    }
    return null;
  }
  if (!isAccessType(accessType)) return reject('INVALID_ACCESS_TYPE', { accessType });
  const projectId = stackHeader(request, 'project-id');
  if (projectId === undefined) return reject('ACCESS_TYPE_WITHOUT_PROJECT_ID', { request_type: accessType });
  const { at } = options;
  const { token, user, sessionRevision } = await findCurrentUser(parts, request, projectId, options);
  const admin = await findActingAdmin(parts, request, projectId, options);
  const owner = admin?.owner ?? null;
  const access = await findAccess(parts, projectId, owner !== null && options.opensDeletedProject);
  const key = admin ? admin.key : checkKey(access, accessType, sentKey(request, accessType), projectId, at);
  if (!access) return reject('PROJECT_NOT_FOUND', { project_id: projectId });
  const branch = stackHeader(request, 'branch-id') ?? 'main';
  if (branch !== 'main') reject('BRANCH_DOES_NOT_EXIST', { branch_id: branch });
  if (key && !admin) parts.recordKeyUse({ keyId: key.id, projectId });
  const isFromServer = admin === null && showsSecretKey(access, accessType, request, at);
  const sent = { keyId: key?.id ?? null, keyEndsAt: key?.expiresAt ?? null, isFromServer };
  return { accessType, projectId, project: access.project, token, user, sessionRevision, owner, ...sent };
}

/** Step 3: runs before the key check, so that clients see an expired token as such and can refresh it. */
async function findCurrentUser(
  { tokens, projects, findCurrentUser: findUser }: CallerParts,
  request: FastifyRequest,
  projectId: string,
  { ignoresEndedSession, at }: CallerOptions,
): Promise<Pick<Caller, 'token' | 'user' | 'sessionRevision'>> {
  const text = stackHeader(request, 'access-token');
  if (text === undefined) return { token: null, user: null, sessionRevision: null };
  const token = await tokens.verify(text, at);
  if (token.outcome === 'unparsable') return reject('UNPARSABLE_ACCESS_TOKEN');
  if (token.outcome === 'expired') {
    return reject('ACCESS_TOKEN_EXPIRED', { expired_at_millis: token.expiredAtMillis });
  }
  if (token.projectId !== projectId) {
    reject('INVALID_PROJECT_FOR_ACCESS_TOKEN', {
      expected_project_id: projectId,
      actual_project_id: token.projectId,
    });
  }
  const found = await findUser(projectId, token.userId, token.sessionId);
  if (
    found &&
    !ignoresEndedSession &&
    !(found.isSessionLive && isCurrent(token, found.user, await projects.find(projectId)))
  ) {
    // The token ended before the time that it states.
    reject('ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
  }
  if (found?.isSessionLive) return { token, user: found.user, sessionRevision: found.sessionRevision };
  return { token, user: null, sessionRevision: null };
}

/**
 * Whether the token still says the truth about a restriction. If not, clients refresh it. The token of an anonymous
 * user stays valid when a server makes them a regular one (protocol, auth §6).
 */
function isCurrent(token: VerifiedToken, user: CurrentUser, access: ProjectAccess | null): boolean {
  return (
    access === null ||
    token.isAnonymous ||
    token.isRestricted === (findRestriction(user, access.project.settings) !== null)
  );
}
