import { rejections as catalog } from '@gatebook/contract/plain-errors';
import { DomainError, type DomainErrorCode } from '@gatebook/domain/errors';
import { subnetOf } from '@gatebook/readmodel/sessions/device';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isAccessType } from '../access-type.ts';
import { actorOf } from '../context.ts';
import type { Deps } from '../deps.ts';
import { stackHeader } from './conventions.ts';
import { codeAndStatusOf } from './error-codes.ts';
import { oauthClientOf } from './oauth-client.ts';
import { TooManyRequestsError } from './rate-limits.ts';

/** Rejections with status 401 that every app causes: signed-out visitors, expired tokens and ended sessions. */
export const everyday: ReadonlySet<DomainErrorCode> = new Set([
  'ACCESS_TOKEN_EXPIRED',
  'ADMIN_ACCESS_TOKEN_EXPIRED',
  'REAUTHENTICATION_REQUIRED',
  'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED',
  'USER_AUTHENTICATION_REQUIRED',
]);

/** Wrong credentials and untrusted URLs, whose status the protocol does not let us tell from that of other errors. */
const wrongCredentials: ReadonlySet<DomainErrorCode> = new Set([
  'API_KEY_NOT_FOUND',
  'CLI_LOGIN_CODE_INVALID',
  'EMAIL_PASSWORD_MISMATCH',
  'INVALID_AUTHORIZATION_CODE',
  'INVALID_OAUTH_CLIENT_ID_OR_SECRET',
  'INVALID_POLLING_CODE',
  'INVALID_TOTP_CODE',
  'PASSKEY_AUTHENTICATION_FAILED',
  'PASSWORD_CONFIRMATION_MISMATCH',
  'REDIRECT_URL_NOT_WHITELISTED',
  'VERIFICATION_CODE_ALREADY_USED',
  'VERIFICATION_CODE_EXPIRED',
  'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED',
  'VERIFICATION_CODE_NOT_FOUND',
  'WRONG_API_KEY_TYPE',
]);

/** Whether the error means that a sign-in failed, or that a caller is not allowed to do what the request asks for. */
export function isRejectedAccess(code: DomainErrorCode): boolean {
  const { status } = catalog[code];
  return wrongCredentials.has(code) || ((status === 401 || status === 403) && !everyday.has(code));
}

type Parts = Pick<Deps, 'rejections' | 'projects' | 'now' | 'logger'>;

/**
 * Counts failed sign-ins and other rejected calls by project, and keeps a sample of all failed requests
 * (docs/decisions/0049 and 0081), without anything that the caller typed. Nothing waits for it, and it costs the same
 * whether an account exists.
 */
export function recordRejections(app: FastifyInstance, parts: Parts): void {
  app.addHook('onError', async (request, _reply, error) => {
    if (request.preview || isAbandoned(error, request)) return;
    const at = parts.now();
    recordOne(parts, request, error, at).catch((failure: unknown) =>
      parts.logger.warn({ err: failure, requestId: request.id }, 'could not record a rejection'),
    );
  });
}

/** The client disconnected or timed out before the request was complete. The error comes from the request stream. */
export const isAbandoned = (error: Error, { raw }: FastifyRequest) => raw.errored === error;

async function recordOne(
  { rejections, projects }: Parts,
  request: FastifyRequest,
  error: Error,
  at: string,
): Promise<void> {
  const { id: requestId, caller, clientAddress, method, routeOptions } = request;
  const projectId = projectOf(request);
  // Only existing projects have rows.
  if (projectId === null || (projectId !== caller?.projectId && (await projects.find(projectId)) === null)) return;
  const accessType = stackHeader(request, 'access-type');
  const isLimited = error instanceof TooManyRequestsError;
  const account = isLimited ? error.account : null;
  rejections.record({
    projectId,
    ...codeAndStatusOf(error),
    isAccess: isLimited || (error instanceof DomainError && isRejectedAccess(error.code)),
    route: `${method} ${routeOptions.url ?? 'unknown path'}`,
    accessType: accessType !== undefined && isAccessType(accessType) ? accessType : null,
    actor: caller && actorOf(caller),
    userId: accountOf(error, request),
    network: clientAddress === null ? null : subnetOf(clientAddress),
    permission: missingPermission(error),
    requestId,
    at,
  });
  if (account?.userId && account.rule.isRecorded) {
    const { max: failures, minutes } = account.rule;
    rejections.recordThrottled({ projectId, userId: account.userId, failures, minutes, requestId, at });
  }
}

/** The team and the membership exist, and the route decides about the permission. */
function missingPermission(error: Error): { teamId: string; permissionId: string } | null {
  if (!(error instanceof DomainError) || error.code !== 'TEAM_PERMISSION_REQUIRED') return null;
  return { teamId: String(error.details.team_id), permissionId: String(error.details.permission_id) };
}

/** The project that rejected the request: the OAuth client's if there is one, because those routes use no headers. */
function projectOf(request: FastifyRequest): string | null {
  const { caller, routeOptions } = request;
  const clientId = routeOptions.config.access === 'anyone' ? oauthClientOf(request).id : undefined;
  return clientId?.split('#', 1)[0] ?? caller?.projectId ?? stackHeader(request, 'project-id') ?? null;
}

/** The account that was tried, otherwise the one that was used. */
function accountOf(error: Error, { caller }: FastifyRequest): string | null {
  const tried = error instanceof TooManyRequestsError ? error.account?.userId : (error as DomainError).userId;
  return tried === undefined ? (caller?.owner?.id ?? caller?.user?.id ?? null) : tried;
}
