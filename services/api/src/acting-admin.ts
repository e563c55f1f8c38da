import { reject } from '@gatebook/domain/errors';
import { roleInProject } from '@gatebook/domain/project/roles';
import type { FastifyRequest } from 'fastify';
import type { Caller, CallerOptions, CallerParts } from './caller.ts';
import { type Key, keyKinds } from './caller-keys.ts';
import { stackHeader } from './http/conventions.ts';
import type { ProjectAccess } from './project-access-cache.ts';
import type { WebhooksToken } from './webhooks-token.ts';

export const adminToken = (request: FastifyRequest) => stackHeader(request, 'admin-access-token');

/** A member, or the holder of a token that an admin with a key asked for. */
type Admin = { owner: NonNullable<Caller['owner']>; key: null } | { owner: null; key: Key };

/** Step 4: an admin access token is a regular token of `internal` whose user must be a member of the project. */
export async function findActingAdmin(
  parts: CallerParts,
  request: FastifyRequest,
  projectId: string,
  options: CallerOptions,
): Promise<Admin | null> {
  const text = adminToken(request);
  if (text === undefined) return null;
  const { at, takesWebhooksToken } = options;
  const page = takesWebhooksToken ? await parts.openWebhooksToken(text) : null;
  if (page) return issuerOfPage(parts, request, page, { projectId, options });
  const token = await parts.tokens.verify(text, at);
  if (token.outcome === 'unparsable') return reject('UNPARSABLE_ADMIN_ACCESS_TOKEN');
  if (token.outcome === 'expired') return rejectExpiredOwner(request, token.expiredAtMillis);
  if (token.projectId !== 'internal') return reject('ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
  // Keys and secrets of the owner's projects would outlive the session.
  if (token.impersonator) return reject('IMPERSONATION_NOT_ALLOWED');
  return findActingMember(parts, request, { id: token.userId, sessionId: token.sessionId }, { projectId, options });
}

type OfProject = { projectId: string; options: CallerOptions };

/** A token of the webhooks page ends with the key or the session of the admin who asked for it. */
async function issuerOfPage(
  parts: CallerParts,
  request: FastifyRequest,
  page: WebhooksToken,
  { projectId, options }: OfProject,
): Promise<Admin> {
  if (page.projectId !== projectId) return reject('ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
  if (page.endsAt <= options.at) return rejectExpiredOwner(request, page.endsAt);
  if (page.owner) return findActingMember(parts, request, page.owner, { projectId, options });
  const access = await parts.projects.find(projectId);
  const key = access?.keys.find(({ id, kind }) => id === page.keyId && kind === keyKinds.admin);
  return key && key.expiresAt > options.at ? { owner: null, key } : rejectExpiredOwner(request, null);
}

async function findActingMember(
  parts: CallerParts,
  request: FastifyRequest,
  { id, sessionId }: { id: string; sessionId: string },
  { projectId, options: { opensDeletedProject: findsDeletedProject } }: OfProject,
): Promise<Admin> {
  const found = await parts.findMember(id, sessionId, projectId, { findsDeletedProject });
  if (!found) return reject('TOKEN_OWNER_NOT_FOUND');
  if (!found.isSessionLive) rejectExpiredOwner(request, null);
  if (found.role === null) return reject('ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
  if (!(await findAccess(parts, projectId, findsDeletedProject)))
    return reject('INVALID_PROJECT_FOR_ADMIN_ACCESS_TOKEN');
  return { owner: { id, sessionId, role: roleInProject(found.role, projectId) }, key: null };
}

export const findAccess = async (
  { projects, findDeletedProject }: CallerParts,
  projectId: string,
  findsDeletedProject: boolean,
): Promise<ProjectAccess | null> =>
  (await projects.find(projectId)) ?? (findsDeletedProject ? findDeletedProject(projectId) : null);

/** The client libraries expect a date object and fail on a number, but not on null (protocol, errors §10). */
function rejectExpiredOwner(request: FastifyRequest, expiredAtMillis: number | null): never {
  const isLibrary = stackHeader(request, 'client-version') !== undefined;
  return reject('ADMIN_ACCESS_TOKEN_EXPIRED', { expired_at_millis: isLibrary ? null : expiredAtMillis });
}
