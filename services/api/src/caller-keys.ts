import { timingSafeEqual } from 'node:crypto';
import { type KnownErrorCode, reject } from '@gatebook/domain/errors';
import type { KeyKind } from '@gatebook/readmodel/projects/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyRequest } from 'fastify';
import type { AccessType } from './access-type.ts';
import { stackHeader } from './http/conventions.ts';
import type { ProjectAccess } from './project-access-cache.ts';

export type Key = ProjectAccess['keys'][number];

export const keyHeaders = {
  client: 'publishable-client-key',
  server: 'secret-server-key',
  admin: 'super-secret-admin-key',
} as const;
export const keyKinds: Record<AccessType, KeyKind> = {
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

/** The key that the request sends for this access type. */
export const sentKey = (request: FastifyRequest, accessType: AccessType) =>
  stackHeader(request, keyHeaders[accessType]);

/** Step 5: only the key of the stated access type counts. Must not reveal whether the project exists. */
export function checkKey(
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
export function showsSecretKey(
  access: ProjectAccess,
  accessType: AccessType,
  request: FastifyRequest,
  at: number,
): boolean {
  if (accessType !== 'client') return true;
  const key = sentKey(request, 'server');
  return key !== undefined && findKey(access, 'server', key, at) !== null;
}

/** Whether `secret` is a publishable key of the project, or missing where the project allows keyless clients. */
export function isClientSecret(access: ProjectAccess, secret: string | undefined, at: number): boolean {
  if (access.project.settings.keylessClientsAllowed && (secret === undefined || secret === keylessClient)) return true;
  return secret !== undefined && findKey(access, 'client', secret, at) !== null;
}
