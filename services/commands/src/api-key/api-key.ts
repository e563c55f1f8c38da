import { apiKeyDecider } from '@gatebook/domain/api-key/decide';
import type { ApiKeyOwnerType } from '@gatebook/domain/api-key/events';
import type { ApiKey, ApiKeyState } from '@gatebook/domain/api-key/state';
import { reject } from '@gatebook/domain/errors';
import { teamDecider } from '@gatebook/domain/team/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import { findOwnerRevocation } from '@gatebook/domain/user/state';
import { emailedCodeLifeMs } from '../code/code-email.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { requestEmail } from '../email/email.ts';
import { transact, type UnitOfWork } from '../execute.ts';
import { endOfOverlap } from '../key-rotation.ts';
import { type Limited, useQuota } from '../quota/quota.ts';
import { streamOf } from '../streams.ts';
import { hasTeamPermission, loadTeam } from '../team/team-permissions.ts';
import { loadUser } from '../user/load-user.ts';
import { buildApiKeyText } from './api-key-text.ts';

/** `by`: the signed-in user; null for a server, which may act for everyone. */
type By = { by: string | null };
type NewApiKey = By &
  Limited & {
    ownerType: ApiKeyOwnerType;
    ownerId: string;
    description: string;
    /** ISO time; null: never. */
    expiresAt: string | null;
    isPublic: boolean;
  };

/**
 * Creates a key for a user or a team (protocol, resources §7). The key text is only in this result.
 * @throws DomainError OTHER_USER_NOT_ALLOWED; API_KEY_NOT_FOUND for a team, existing or not, whose keys the user cannot
 * manage; for a server USER_NOT_FOUND, TEAM_NOT_FOUND; QUOTA_EXCEEDED
 */
export async function createApiKey(
  deps: WriteDeps,
  ctx: Context,
  { by, limit, ...input }: NewApiKey,
): Promise<CommandResult<{ key: ApiKey; text: string }>> {
  const newKey = generateKey(deps);
  const { result, position } = await transact(deps, ctx, async (work) => {
    await requireManager(work, by, input);
    return addKey(work, newKey, { ...input, limit });
  });
  return { ...result, position };
}

/**
 * Creates a key of the same owner with the same description, while the other one ends at `oldExpiresAt` if it would
 * end later. The key text is only in this result.
 * @throws DomainError API_KEY_NOT_FOUND, also for a revoked key or one of the other owner type; OTHER_USER_NOT_ALLOWED;
 * QUOTA_EXCEEDED
 */
export async function rotateApiKey(
  deps: WriteDeps,
  ctx: Context,
  input: By & Limited & { keyId: string; ownerType: ApiKeyOwnerType; expiresAt: string | null; oldExpiresAt: string },
): Promise<CommandResult<{ key: ApiKey; text: string }>> {
  const { ownerType, by, limit, expiresAt, oldExpiresAt } = input;
  const newKey = generateKey(deps);
  const { result, position } = await transact(deps, ctx, async (work) => {
    const old = await work.load(apiKeyDecider, streamOf.apiKey(input.keyId));
    const state = await requireKey(work, old.state);
    if (state.ownerType !== ownerType) reject('API_KEY_NOT_FOUND');
    await requireManager(work, by, state);
    if (state.revokedAt !== null) reject('API_KEY_NOT_FOUND');
    const { ownerId, description, isPublic } = state;
    const created = await addKey(work, newKey, { ownerType, ownerId, description, expiresAt, isPublic, limit });
    const endsAt = endOfOverlap(state.expiresAt, oldExpiresAt);
    old.decide({ type: 'ChangeApiKey', expiresAt: endsAt, at: newKey.at });
    return created;
  });
  return { ...result, position };
}

type GeneratedKey = { keyId: string; secret: string; at: string };
const generateKey = ({ newId, randomCode, now }: WriteDeps): GeneratedKey => ({
  keyId: newId(),
  secret: randomCode(),
  at: now(),
});

async function addKey(
  work: UnitOfWork,
  { keyId, secret, at }: GeneratedKey,
  { limit, ...facts }: Limited & Pick<ApiKey, 'ownerType' | 'ownerId' | 'description' | 'expiresAt' | 'isPublic'>,
): Promise<{ key: ApiKey; text: string }> {
  const { deps, ctx } = work;
  const { ownerType, ownerId, isPublic } = facts;
  const owner = await (ownerType === 'user' ? loadUser : loadTeam)(work, ownerId);
  const ownerRevision = ownerType === 'user' ? Number(owner.revision) : null;
  const quota = ownerType === 'user' ? 'apiKeysPerUser' : 'apiKeysPerTeam';
  await useQuota(work, { quota, limit, ownerId, itemId: keyId, at });
  const text = buildApiKeyText({ secret, keyId, ownerType, isPublic });
  const hashed = { hash: deps.sha256(text), lastFour: text.slice(-4) };
  const key = work.create(apiKeyDecider, streamOf.apiKey(keyId));
  key.decide({ type: 'CreateApiKey', keyId, projectId: ctx.projectId, ...facts, ownerRevision, ...hashed, at });
  return { key: key.state as ApiKey, text };
}

type ApiKeyChange = {
  description?: string | undefined;
  expiresAt?: string | null | undefined;
  /** Revocation is final. */
  isRevoked?: boolean | undefined;
};

/** @throws DomainError API_KEY_NOT_FOUND, also for a key of the other owner type; OTHER_USER_NOT_ALLOWED */
export async function changeApiKey(
  deps: WriteDeps,
  ctx: Context,
  input: By & ApiKeyChange & { keyId: string; ownerType: ApiKeyOwnerType },
): Promise<CommandResult<{ key: ApiKey }>> {
  const { keyId, ownerType, by, description, expiresAt, isRevoked = false } = input;
  const at = deps.now();
  const { result, position } = await transact(deps, ctx, async (work) => {
    const key = await work.load(apiKeyDecider, streamOf.apiKey(keyId));
    const state = await requireKey(work, key.state);
    if (state.ownerType !== ownerType) reject('API_KEY_NOT_FOUND');
    await requireManager(work, by, state);
    key.decide({ type: 'ChangeApiKey', description, expiresAt, at });
    if (isRevoked) key.decide({ type: 'RevokeApiKey', at });
    return requireKey(work, key.state);
  });
  return { key: result, position };
}

type Leak = {
  keyId: string;
  projectDisplayName: string;
  /** Users who may manage the key and have an email address. */
  concerned: readonly { userId: string; email: string }[];
};

/**
 * Revokes a key whose text was found in public and emails the users concerned, once (protocol, resources §7.5).
 * `ctx.projectId` is the project of the key.
 * @throws DomainError API_KEY_NOT_FOUND, PUBLIC_API_KEY_CANNOT_BE_REVOKED, API_KEY_EXPIRED
 */
export async function revokeLeakedApiKey(
  deps: WriteDeps,
  ctx: Context,
  { keyId, projectDisplayName, concerned }: Leak,
): Promise<CommandResult> {
  const at = deps.now();
  const emails = concerned.map((user) => ({ ...user, emailId: deps.newId() }));
  const expiresAt = new Date(Date.parse(at) + emailedCodeLifeMs).toISOString();
  const { position } = await transact(deps, ctx, async (work) => {
    const key = await work.load(apiKeyDecider, streamOf.apiKey(keyId));
    const { revokedAt, description, lastFour } = await requireKey(work, key.state);
    key.decide({ type: 'RevokeLeakedApiKey', at });
    if (revokedAt !== null) return;
    const variables = { projectDisplayName, keyDescription: description ?? '', keyLastFour: lastFour };
    for (const { emailId, userId, email: recipient } of emails) {
      const about = { emailId, emailType: 'api_key_revoked', recipient, userId } as const;
      requestEmail(work, { ...about, variables, language: null, expiresAt }, at);
    }
  });
  return { position };
}

/** Keys of a deleted owner are gone as well, though nothing is written to their streams. */
export async function requireKey(work: UnitOfWork, state: ApiKeyState): Promise<ApiKey> {
  if (state.status === 'absent' || state.projectId !== work.ctx.projectId) return reject('API_KEY_NOT_FOUND');
  const { ownerType, ownerId } = state;
  if (ownerType === 'team') {
    const team = await work.load(teamDecider, streamOf.team(ownerId));
    return team.state.status === 'active' ? state : reject('API_KEY_NOT_FOUND');
  }
  const user = await work.load(userDecider, streamOf.user(ownerId));
  if (user.state.status !== 'active') return reject('API_KEY_NOT_FOUND');
  return { ...state, revokedAt: state.revokedAt ?? findOwnerRevocation(user.state, state) };
}

/** Users without permission must not learn whether the team exists. */
async function requireManager(
  work: UnitOfWork,
  by: string | null,
  { ownerType, ownerId }: { ownerType: ApiKeyOwnerType; ownerId: string },
): Promise<void> {
  if (by === null) return;
  if (ownerType === 'user' && ownerId !== by) reject('OTHER_USER_NOT_ALLOWED');
  if (ownerType === 'user') return;
  const canManage = await hasTeamPermission(work, { teamId: ownerId, userId: by, permissionKey: '$manage_api_keys' });
  if (!canManage) reject('API_KEY_NOT_FOUND');
}
