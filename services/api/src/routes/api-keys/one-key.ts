import { changeApiKey, createApiKey, rotateApiKey } from '@gatebook/commands/api-key/api-key';
import type { Context } from '@gatebook/commands/deps';
import type { ApiKeyPatch, ApiKeyRotation } from '@gatebook/contract/api-keys';
import { hasExpired } from '@gatebook/domain/api-key/decide';
import type { ApiKeyOwnerType } from '@gatebook/domain/api-key/events';
import { DomainError, reject } from '@gatebook/domain/errors';
import { expandPermissions } from '@gatebook/domain/permission/effective';
import { findRestriction } from '@gatebook/domain/user/restriction';
import { type ApiKeyRow, findApiKey, findApiKeyByHash } from '@gatebook/readmodel/api-keys/queries';
import { findMember } from '@gatebook/readmodel/teams/queries';
import type { z } from 'zod';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { quotaFor } from '../../quotas.ts';
import { requireActingUserId } from '../teams/require-permission.ts';
import { rowOfKey } from './wire.ts';

/*
 * Shared by the routes for user keys and team keys, which only differ in paths and owners. The project setting is
 * checked first, then the caller, then the existence of the key, then permissions (protocol, resources §7.3).
 */

/** @throws DomainError USER_API_KEYS_DISABLED, TEAM_API_KEYS_DISABLED */
export function checkSwitch({ project }: Caller, ownerType: ApiKeyOwnerType): void {
  const { allowUserApiKeys, allowTeamApiKeys } = project.config;
  if (ownerType === 'user' && !allowUserApiKeys) reject('USER_API_KEYS_DISABLED');
  if (ownerType === 'team' && !allowTeamApiKeys) reject('TEAM_API_KEYS_DISABLED');
}

type Owner = { ownerType: ApiKeyOwnerType; ownerId: string };

/** @throws DomainError USER_AUTHENTICATION_REQUIRED, OTHER_USER_NOT_ALLOWED, API_KEY_NOT_FOUND */
export async function mayReadKeys(deps: Deps, caller: Caller, { ownerType, ownerId }: Owner): Promise<void> {
  const by = requireActingUserId(caller, 'USER_AUTHENTICATION_REQUIRED');
  if (by === null) return;
  if (ownerType === 'user') {
    if (ownerId !== by) reject('OTHER_USER_NOT_ALLOWED');
    return;
  }
  const granted = await findMember(deps.db, caller.projectId, ownerId, by).then(
    ({ permissions }) => permissions,
    (error: unknown) => {
      if (error instanceof DomainError && error.code === 'TEAM_MEMBERSHIP_NOT_FOUND') return [];
      throw error;
    },
  );
  if (!expandPermissions(caller.project.permissions, granted).has('$manage_api_keys')) reject('API_KEY_NOT_FOUND');
}

export async function readKey(deps: Deps, caller: Caller, keyId: string, ownerType: ApiKeyOwnerType) {
  requireActingUserId(caller, 'USER_AUTHENTICATION_REQUIRED');
  const key = await findApiKey(deps.db, caller.projectId, keyId, ownerType);
  await mayReadKeys(deps, caller, key);
  return key;
}

type NewKey = { description: string; expires_at_millis: number | null; is_public?: boolean | undefined };
const timeOf = (millis: number | null) => (millis === null ? null : new Date(millis).toISOString());

/** Returns the key without reading its row. */
export async function createKey(
  deps: Deps,
  caller: Caller,
  context: Context,
  { description, expires_at_millis, is_public = false, ...owner }: NewKey & Owner,
): Promise<{ row: ApiKeyRow; text: string; position: bigint | null }> {
  const by = requireActingUserId(caller, 'USER_AUTHENTICATION_REQUIRED');
  const limit = keyQuotaFor(caller, owner.ownerType);
  const input = { ...owner, by, description, expiresAt: timeOf(expires_at_millis), isPublic: is_public, limit };
  const { key, text, position } = await createApiKey(deps, context, input);
  return { row: rowOfKey(key), text, position };
}

type KeyRotation = { keyId: string; ownerType: ApiKeyOwnerType; rotation: ApiKeyRotation };

/** Returns the new key without reading its row. */
export async function rotateKey(deps: Deps, caller: Caller, context: Context, input: KeyRotation) {
  const { keyId, ownerType, rotation } = input;
  const by = requireActingUserId(caller, 'USER_AUTHENTICATION_REQUIRED');
  const { key, text, position } = await rotateApiKey(deps, context, {
    keyId,
    ownerType,
    by,
    expiresAt: timeOf(rotation.expires_at_millis),
    oldExpiresAt: new Date(rotation.old_expires_at_millis).toISOString(),
    limit: keyQuotaFor(caller, ownerType),
  });
  return { row: rowOfKey(key), text, position };
}

const keyQuotaFor = (caller: Caller, ownerType: ApiKeyOwnerType) =>
  quotaFor(caller, ownerType === 'user' ? 'apiKeysPerUser' : 'apiKeysPerTeam');

type KeyChange = { keyId: string; ownerType: ApiKeyOwnerType; patch: z.infer<typeof ApiKeyPatch> };

export function updateKey(deps: Deps, caller: Caller, context: Context, { keyId, ownerType, patch }: KeyChange) {
  const by = requireActingUserId(caller, 'USER_AUTHENTICATION_REQUIRED');
  const { description, expires_at_millis: millis, revoked } = patch;
  const expiresAt = millis === undefined ? undefined : timeOf(millis);
  return changeApiKey(deps, context, { keyId, ownerType, by, description, expiresAt, isRevoked: revoked });
}

/**
 * Finds a valid key by its hash.
 * @throws DomainError API_KEY_NOT_FOUND, WRONG_API_KEY_TYPE, API_KEY_REVOKED, API_KEY_EXPIRED
 */
export async function checkKey(
  deps: Deps,
  { projectId, project }: Caller,
  text: string,
  ownerType: ApiKeyOwnerType,
): Promise<ApiKeyRow> {
  const key = await findApiKeyByHash(deps.db, deps.sha256(text));
  if (key?.projectId !== projectId) return reject('API_KEY_NOT_FOUND');
  if (key.ownerType !== ownerType) {
    reject('WRONG_API_KEY_TYPE', { expected_type: ownerType, actual_type: key.ownerType });
  }
  if (key.revokedAt !== null) reject('API_KEY_REVOKED');
  const restriction = key.user && findRestriction(key.user, project.settings);
  // Anonymous users are restricted too, but nobody decided that they must not use their keys.
  if (restriction !== null && restriction !== 'anonymous') reject('API_KEY_REVOKED', { isOwnerRestricted: true });
  if (hasExpired({ expiresAt: timeOf(key.expiresAt) }, deps.now())) reject('API_KEY_EXPIRED');
  deps.activity.recordKeyUse({ keyId: key.id, ownerId: key.ownerId, projectId, at: deps.now() });
  return key;
}
