import { timingSafeEqual } from 'node:crypto';
import { type KnownErrorCode, reject } from '@gatebook/domain/errors';
import type { ProjectRole } from '@gatebook/domain/project/roles';
import { findRestriction } from '@gatebook/domain/user/restriction';
import type { KeyKind } from '@gatebook/readmodel/projects/queries';
import type { OwnUserRow } from '@gatebook/readmodel/users/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyRequest } from 'fastify';
import { type AccessType, isAccessType } from './access-type.ts';
import { stackHeader } from './http/conventions.ts';
import type { ProjectAccess, ProjectAccessCache } from './project-access-cache.ts';
import type { AccessTokens, VerifiedToken } from './tokens.ts';
import type { WebhooksToken } from './webhooks-token.ts';

export type CurrentUser = OwnUserRow;

/** The caller, after every check of (protocol, conventions §3.2). */
export type Caller = {
  accessType: AccessType;
  projectId: string;
  project: ProjectAccess['project'];
  /** The access token of the request, with a valid signature, project and lifetime. */
  token: VerifiedToken | null;
  /** The user of the token; null without a token or if the user no longer exists. */
  user: CurrentUser | null;
  /** Revision of the user's stream at which the session was checked. */
  sessionRevision: number | null;
  /** The member whose admin access token was sent instead of a key. */
  owner: { id: string; sessionId: string; role: ProjectRole } | null;
  /** The project key that was sent; null for an owner and for clients without a key. */
  keyId: string | null;
  /** When that key expires, in milliseconds since 1970. */
  keyEndsAt: number | null;
  /** Whether the request shows a secret server key or admin key of the project, also with a client call. */
  isFromServer: boolean;
};

type Found = { user: OwnUserRow; isSessionLive: boolean; sessionRevision: number | null };
type FoundMember = { role: ProjectRole | null; isSessionLive: boolean };
export type CallerParts = {
  projects: ProjectAccessCache;
  tokens: AccessTokens;
  findCurrentUser(projectId: string, userId: string, sessionId: string): Promise<Found | null>;
  findMember(
    userId: string,
    sessionId: string,
    projectId: string,
    options: { findsDeletedProject: boolean },
  ): Promise<FoundMember | null>;
  findDeletedProject(projectId: string): Promise<ProjectAccess | null>;
  recordKeyUse(use: { keyId: string; projectId: string }): void;
  /** null for any other text. */
  openWebhooksToken(token: string): Promise<WebhooksToken | null>;
};
/**
 * Routes that refresh or end sessions accept the token of an ended session and return their own error
 * (protocol, rule 11).
 */
type Options = {
  ignoresEndedSession: boolean;
  /** Owners can call the route while the project awaits deletion. */
  opensDeletedProject: boolean;
  /** A token of the webhooks page opens the route. */
  takesWebhooksToken: boolean;
  /** The time of the request, in milliseconds. */
  at: number;
};

const keyHeaders = {
  client: 'publishable-client-key',
  server: 'secret-server-key',
  admin: 'super-secret-admin-key',
} as const;
const keyKinds: Record<AccessType, KeyKind> = {
  client: 'publishableClientKey',
  server: 'secretServerKey',
  admin: 'superSecretAdminKey',
};
const keyErrors = {
  client: { missing: 'CLIENT_AUTHENTICATION_REQUIRED', wrong: 'INVALID_PUBLISHABLE_CLIENT_KEY' },
  server: { missing: 'SERVER_AUTHENTICATION_REQUIRED', wrong: 'INVALID_SECRET_SERVER_KEY' },
  admin: { missing: 'ADMIN_AUTHENTICATION_REQUIRED', wrong: 'INVALID_SUPER_SECRET_ADMIN_KEY' },
} as const satisfies Record<AccessType, Record<'missing' | 'wrong', KnownErrorCode>>;
/** What clients without a publishable key send as their key (protocol, client §A.1). */
const keylessClient = '__stack_public_client__';

/**
 * Runs the checks of (protocol, conventions §3.2) in exactly that order. @returns null for a request without an access
 * type
 */
export async function identifyCaller(
  parts: CallerParts,
  request: FastifyRequest,
  options: Options,
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
  const { token, user, sessionRevision } = await currentUser(parts, request, projectId, options);
  const admin = await actingAdmin(parts, request, projectId, options);
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

/** The key that the request sends for this access type. */
export const sentKey = (request: FastifyRequest, accessType: AccessType) =>
  stackHeader(request, keyHeaders[accessType]);
const adminToken = (request: FastifyRequest) => stackHeader(request, 'admin-access-token');

/** Step 3: runs before the key check, so that clients see an expired token as such and can refresh it. */
async function currentUser(
  { tokens, projects, findCurrentUser }: CallerParts,
  request: FastifyRequest,
  projectId: string,
  { ignoresEndedSession, at }: Options,
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
  const found = await findCurrentUser(projectId, token.userId, token.sessionId);
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
function isCurrent(token: VerifiedToken, user: OwnUserRow, access: ProjectAccess | null): boolean {
  return (
    access === null ||
    token.isAnonymous ||
    token.isRestricted === (findRestriction(user, access.project.settings) !== null)
  );
}

/** A member, or the holder of a token that an admin with a key asked for. */
type Admin = { owner: NonNullable<Caller['owner']>; key: null } | { owner: null; key: Key };

/** Step 4: an admin access token is a regular token of `internal` whose user must be a member of the project. */
async function actingAdmin(
  parts: CallerParts,
  request: FastifyRequest,
  projectId: string,
  options: Options,
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

type OfProject = { projectId: string; options: Options };

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
  // Users and teams of `internal` own projects, so who acts on them could become an owner.
  const role = projectId === 'internal' && found.role === 'support' ? 'read_only' : found.role;
  return { owner: { id, sessionId, role }, key: null };
}

const findAccess = async (
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

/** Step 5: only the key of the stated access type counts. Must not reveal whether the project exists. */
function checkKey(
  access: ProjectAccess | null,
  accessType: AccessType,
  key: string | undefined,
  projectId: string,
  at: number,
): Key | null {
  const isKeylessAllowed = accessType === 'client' && access?.project.settings.keylessClientsAllowed === true;
  if (isKeylessAllowed && (key === undefined || key === keylessClient)) return null;
  if (key === undefined) return reject(keyErrors[accessType].missing);
  const found = access && findKey(access, accessType, key, at);
  return found ?? reject(keyErrors[accessType].wrong, { project_id: projectId });
}

type Key = ProjectAccess['keys'][number];
/** Publishable keys that were found, by their text, which is public. They spare most requests a hash. */
const publishableKeys = new WeakMap<ProjectAccess, Map<string, Key>>();

/** @returns null for an unknown or expired key */
function findKey(access: ProjectAccess, accessType: AccessType, text: string, at: number): Key | null {
  const known = accessType === 'client' ? publishableKeys.get(access)?.get(text) : undefined;
  const key = known ?? findByHash(access, accessType, text);
  if (key && !known && accessType === 'client') {
    publishableKeys.set(access, (publishableKeys.get(access) ?? new Map()).set(text, key));
  }
  return key && key.expiresAt > at ? key : null;
}

/** Keys are stored as hashes. Compares all active keys, each in constant time. */
function findByHash({ keys }: ProjectAccess, accessType: AccessType, text: string): Key | null {
  const hash = Buffer.from(sha256(text));
  let found: Key | null = null;
  for (const key of keys) {
    const known = Buffer.from(key.kind === keyKinds[accessType] ? key.hash : '');
    if (known.length === hash.length && timingSafeEqual(known, hash)) found = key;
  }
  return found;
}

/** A client call with a wrong server key is a client call like any other (protocol, conventions §3.1). */
function showsSecretKey(access: ProjectAccess, accessType: AccessType, request: FastifyRequest, at: number): boolean {
  if (accessType !== 'client') return true;
  const key = sentKey(request, 'server');
  return key !== undefined && findKey(access, 'server', key, at) !== null;
}

/** Whether `secret` is a publishable key of the project, or missing where the project allows keyless clients. */
export function isClientSecret(access: ProjectAccess, secret: string | undefined, at: number): boolean {
  if (access.project.settings.keylessClientsAllowed && (secret === undefined || secret === keylessClient)) return true;
  return secret !== undefined && findKey(access, 'client', secret, at) !== null;
}
