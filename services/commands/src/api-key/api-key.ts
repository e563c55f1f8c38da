import { apiKeyDecider } from '@gatebook/domain/api-key/decide';
import type { ApiKeyOwnerType } from '@gatebook/domain/api-key/events';
import type { ApiKey, ApiKeyState } from '@gatebook/domain/api-key/state';
import { reject } from '@gatebook/domain/errors';
import { teamDecider } from '@gatebook/domain/team/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import { revokedWithOthersAt } from '@gatebook/domain/user/state';
import { mailedCodeLifeMs } from '../code/code-email.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { requestEmail } from '../email/email.ts';
import { transact, type UnitOfWork } from '../execute.ts';
import { type Limited, useQuota } from '../quota/quota.ts';
import { streamOf } from '../streams.ts';
import { holdsRight, loadTeam } from '../team/team-rights.ts';
import { loadUser } from '../user/load-user.ts';
import { apiKeyText } from './api-key-text.ts';

/** `by`: the signed-in user, null for a server, which may act for everybody. */
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
 * A key of a user or a team (protocol, resources §7). Its text is in this result and nowhere else.
 * @throws DomainError ACTS_ON_ANOTHER_USER; API_KEY_NOT_FOUND for a team whose keys are not the user's to manage, known or not;
 * of a server USER_NOT_FOUND, TEAM_NOT_FOUND; QUOTA_EXCEEDED
 */
export async function createApiKey(
  deps: WriteDeps,
  ctx: Context,
  { by, limit, ...input }: NewApiKey,
): Promise<CommandResult<{ key: ApiKey; text: string }>> {
  const [keyId, secret, at] = [deps.newId(), deps.randomCode(), deps.now()];
  const text = apiKeyText({ secret, keyId, ...input });
  const hashed = { hash: deps.sha256(text), lastFour: text.slice(-4) };
  const { result, position } = await transact(deps, ctx, async (work) => {
    await mayManage(work, by, input);
    const owner = await (input.ownerType === 'user' ? loadUser : loadTeam)(work, input.ownerId);
    const ownerRevision = input.ownerType === 'user' ? Number(owner.revision) : null;
    const quota = input.ownerType === 'user' ? 'apiKeysPerUser' : 'apiKeysPerTeam';
    await useQuota(work, { quota, limit, ownerId: input.ownerId, itemId: keyId, at });
    const key = work.create(apiKeyDecider, streamOf.apiKey(keyId));
    key.decide({ type: 'CreateApiKey', keyId, projectId: ctx.projectId, ...input, ownerRevision, ...hashed, at });
    return key.state as ApiKey;
  });
  return { key: result, text, position };
}

type ApiKeyChange = {
  description?: string | undefined;
  expiresAt?: string | null | undefined;
  /** One-way. */
  isRevoked?: boolean | undefined;
};

/** @throws DomainError API_KEY_NOT_FOUND, also for a key of the other kind; ACTS_ON_ANOTHER_USER */
export async function changeApiKey(
  deps: WriteDeps,
  ctx: Context,
  input: By & ApiKeyChange & { keyId: string; ownerType: ApiKeyOwnerType },
): Promise<CommandResult<{ key: ApiKey }>> {
  const { keyId, ownerType, by, description, expiresAt, isRevoked = false } = input;
  const at = deps.now();
  const { result, position } = await transact(deps, ctx, async (work) => {
    const key = await work.load(apiKeyDecider, streamOf.apiKey(keyId));
    const state = await knownKey(work, key.state);
    if (state.ownerType !== ownerType) reject('API_KEY_NOT_FOUND');
    await mayManage(work, by, state);
    key.decide({ type: 'ChangeApiKey', description, expiresAt, at });
    if (isRevoked) key.decide({ type: 'RevokeApiKey', at });
    return knownKey(work, key.state);
  });
  return { key: result, position };
}

type Leak = {
  keyId: string;
  projectDisplayName: string;
  /** Whoever may manage the key, and has an address. */
  concerned: readonly { userId: string; email: string }[];
};

/**
 * Whoever presents a key's text may have it revoked; whom it concerns is told by mail, once (protocol, resources §7.5).
 * `ctx.projectId` is the key's project.
 * @throws DomainError API_KEY_NOT_FOUND, PUBLIC_API_KEY_CANNOT_BE_REVOKED, API_KEY_EXPIRED
 */
export async function revokeLeakedApiKey(
  deps: WriteDeps,
  ctx: Context,
  { keyId, projectDisplayName, concerned }: Leak,
): Promise<CommandResult> {
  const at = deps.now();
  const mails = concerned.map((one) => ({ ...one, emailId: deps.newId() }));
  const expiresAt = new Date(Date.parse(at) + mailedCodeLifeMs).toISOString();
  const { position } = await transact(deps, ctx, async (work) => {
    const key = await work.load(apiKeyDecider, streamOf.apiKey(keyId));
    const { revokedAt, description, lastFour } = await knownKey(work, key.state);
    key.decide({ type: 'RevokeLeakedApiKey', at });
    if (revokedAt !== null) return;
    const variables = { projectDisplayName, keyDescription: description ?? '', keyLastFour: lastFour };
    for (const { emailId, userId, email: recipient } of mails) {
      const mail = { emailId, emailType: 'api_key_revoked', recipient, userId, variables, expiresAt } as const;
      requestEmail(work, mail, at);
    }
  });
  return { position };
}

/** A key goes with its owner, though nothing is written to its own stream then. */
async function knownKey(work: UnitOfWork, state: ApiKeyState): Promise<ApiKey> {
  if (state.status === 'absent' || state.projectId !== work.ctx.projectId) return reject('API_KEY_NOT_FOUND');
  const { ownerType, ownerId } = state;
  if (ownerType === 'team') {
    const team = await work.load(teamDecider, streamOf.team(ownerId));
    return team.state.status === 'active' ? state : reject('API_KEY_NOT_FOUND');
  }
  const user = await work.load(userDecider, streamOf.user(ownerId));
  if (user.state.status !== 'active') return reject('API_KEY_NOT_FOUND');
  return { ...state, revokedAt: state.revokedAt ?? revokedWithOthersAt(user.state, state) };
}

/** Whether a team exists is told to nobody who may not manage its keys. */
async function mayManage(
  work: UnitOfWork,
  by: string | null,
  { ownerType, ownerId }: { ownerType: ApiKeyOwnerType; ownerId: string },
): Promise<void> {
  if (by === null) return;
  if (ownerType === 'user' && ownerId !== by) reject('ACTS_ON_ANOTHER_USER');
  if (ownerType === 'user') return;
  const isStandby = await holdsRight(work, { teamId: ownerId, userId: by, right: '$manage_api_keys' });
  if (!isStandby) reject('API_KEY_NOT_FOUND');
}
